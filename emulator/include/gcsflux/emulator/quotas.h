#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// How much a service takes before it answers 429. There is no limit by default. The fields are called the same in JSON
/// and as flags. Limits are token buckets; each has to have something left for a request to be served.
struct Quotas {
  /// Requests of a bucket's objects. Reads are those of data, metadata and lists; writes all others.
  std::optional<double> reads_per_second = {};
  std::optional<double> writes_per_second = {};
  /// The same for each range of names. A bucket begins with one; one that is at four fifths of its limit or above for
  /// 20 minutes on end is split in two at the median of the names that were asked for, each with the limit of the
  /// whole, and the bucket's own limits grow by as much as they began with.
  std::optional<double> range_reads_per_second = {};
  std::optional<double> range_writes_per_second = {};
  /// Makes these 20 minutes pass so many times faster, and nothing else. Raise it to see a ramp in seconds.
  double ramp_speed = 1;
  /// Creations, changes and deletions of one object.
  std::optional<double> object_mutations_per_second = {};
  /// Changes of one bucket's metadata.
  std::optional<double> bucket_updates_per_second = {};
  /// Bytes of objects sent, of all buckets together, in MB/s. An answer may overdraw it; those after it wait for that.
  std::optional<double> egress_mbps = {};

  /// So many milliseconds of its rate a limit's bucket holds, and one token at least. Raise it to allow bursts.
  double depth_ms = 50;
  /// Refused requests take tokens too, so that clients that hammer are served nothing.
  bool refused_count = false;
  /// The seconds of the header Retry-After; nothing leaves it out, as GCS promises none.
  std::optional<double> retry_after_s = {};
  /// What a request takes longer when its bucket or its range is at its limit, in milliseconds: it grows linearly from
  /// 0 at the share `latency_growth_from` of the limit, by the rate of the last second.
  double latency_growth_ms = 0;
  double latency_growth_from = 0.8;

  friend bool operator==(const Quotas&, const Quotas&) = default;
};

/// "none", or "gcs": what Google's service documents. Throws std::invalid_argument for another name.
Quotas QuotasProfile(std::string_view profile);

/// As for Shaping.
void SetField(Quotas& quotas, std::string_view field, std::string_view text);
Quotas ParseQuotas(std::string_view json);

/// What quotas have done since the start or the last Reset().
struct QuotaCounters {
  std::uint64_t admitted = 0;  ///< Requests that some quota was asked about, and that passed.
  std::uint64_t refused_reads = 0;
  std::uint64_t refused_writes = 0;
  std::uint64_t refused_range_reads = 0;
  std::uint64_t refused_range_writes = 0;
  std::uint64_t refused_object_mutations = 0;
  std::uint64_t refused_bucket_updates = 0;
  std::uint64_t refused_egress = 0;
  std::map<std::string, std::size_t> ranges = {};  ///< By bucket: into how many its names are split at the moment.
};

/// An emulator's quotas while it runs. Thread-safe.
class QuotaControl {
 public:
  virtual ~QuotaControl() = default;

  /// Replaces all of it: a dip, or a step. Levels and ranges stay. Throws std::invalid_argument, and changes nothing.
  virtual void Set(const Quotas& quotas) = 0;
  [[nodiscard]] virtual Quotas Get() const = 0;
  [[nodiscard]] virtual QuotaCounters counters() const = 0;
};

}  // namespace gcsflux::emulator
