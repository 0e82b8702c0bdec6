#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// How much the service takes before it answers 429. There is no limit by default. The fields have the same names in
/// JSON and as flags. Limits are token buckets. A request is served if each limit has something left.
struct Quotas {
  /// Requests for a bucket's objects. Reads are those of data, metadata and lists; all others are writes.
  std::optional<double> reads_per_second = {};
  std::optional<double> writes_per_second = {};
  /// The same for each range of names. A bucket begins with one range. A range is split in two if it is at four fifths
  /// of its limit or more for 20 minutes without a break. It is split at the median of the requested names. Each half
  /// has the limit of the whole, and the bucket's own limits grow by their initial value.
  std::optional<double> range_reads_per_second = {};
  std::optional<double> range_writes_per_second = {};
  /// Makes these 20 minutes pass so many times faster, and nothing else. Raise it to see a ramp in seconds.
  double ramp_speed = 1;
  /// Creations, changes and deletions of one object.
  std::optional<double> object_mutations_per_second = {};
  /// Changes of one bucket's metadata.
  std::optional<double> bucket_updates_per_second = {};
  /// Bytes of objects sent, of all buckets together, in MB/s. An answer may overdraw the limit; later answers wait
  /// until it is paid back.
  std::optional<double> egress_mbps = {};

  /// How many milliseconds of its rate a limit can save up; at least one token. Raise it to allow bursts.
  double depth_ms = 50;
  /// Refused requests take tokens too, so a client that repeats without pause is never served.
  bool refused_count = false;
  /// The seconds of the header Retry-After. If empty, the header is left out; GCS does not promise it.
  std::optional<double> retry_after_s = {};
  /// How many milliseconds longer a request takes when its bucket or its range is at its limit. The delay grows
  /// linearly from 0 at the share `latency_growth_from` of the limit, by the rate of the last second.
  double latency_growth_ms = 0;
  double latency_growth_from = 0.8;

  friend bool operator==(const Quotas&, const Quotas&) = default;
};

/// "none", or "gcs": what Google's service documents. Throws std::invalid_argument for another name.
Quotas QuotasProfile(std::string_view profile);

/// As for Shaping.
bool SetField(Quotas& quotas, std::string_view field, std::string_view text);
Quotas ParseQuotas(std::string_view json);

/// What quotas have done since the start or since the last Reset().
struct QuotaCounters {
  std::uint64_t admitted = 0;  ///< Requests that were subject to a quota and passed.
  std::uint64_t refused_reads = 0;
  std::uint64_t refused_writes = 0;
  std::uint64_t refused_range_reads = 0;
  std::uint64_t refused_range_writes = 0;
  std::uint64_t refused_object_mutations = 0;
  std::uint64_t refused_bucket_updates = 0;
  std::uint64_t refused_egress = 0;
  std::map<std::string, std::size_t> ranges =
      {};  ///< By bucket: the number of ranges that its names are split into now.
};

/// The quotas of an emulator while it runs. Thread-safe.
class QuotaControl {
 public:
  virtual ~QuotaControl() = default;

  /// Replaces all of it, for example to lower a limit for a while. Levels and ranges stay. If a value is wrong, throws
  /// std::invalid_argument and changes nothing.
  virtual void Set(const Quotas& quotas) = 0;
  [[nodiscard]] virtual Quotas Get() const = 0;
  [[nodiscard]] virtual QuotaCounters counters() const = 0;
};

}  // namespace gcsflux::emulator
