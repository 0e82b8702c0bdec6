#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gcsflux/emulator/distribution.h"

namespace gcsflux::emulator {

/// How slow a service is that has spare capacity: how long the first byte of an answer takes, and how fast bytes move.
/// Nothing is delayed by default. The fields have the same names in JSON and as flags; MB/s are 1,000,000 bytes/s.
struct Shaping {
  /// From the moment when the request has arrived as a whole to the first byte of its answer, in milliseconds. Reads
  /// are those of objects and of metadata; writes are all requests of an upload, and changes of metadata.
  Distribution read_first_byte_ms = 0;
  Distribution write_first_byte_ms = 0;
  Distribution list_first_byte_ms = 0;
  Distribution compose_first_byte_ms = 0;
  Distribution delete_first_byte_ms = 0;
  /// In addition, for each item and each prefix on a page of a list, in microseconds.
  double list_item_us = 0;

  /// Bytes of one object's download, and of one upload's request, in MB/s. If empty, only the machine limits them.
  /// Lower it to see how many streams a loader needs.
  std::optional<double> stream_read_mbps = {};
  std::optional<double> stream_write_mbps = {};
  /// The same for all streams of a bucket together. They get equal shares.
  std::optional<double> bucket_read_mbps = {};
  std::optional<double> bucket_write_mbps = {};

  /// Chooses the values of random latencies. The same seed and the same requests give the same values, whatever the
  /// order of threads. Change it for another run of the same kind. The flag is called traffic_seed.
  std::uint64_t seed = 0;

  friend bool operator==(const Shaping&, const Shaping&) = default;
};

/// "none", or "gcs": what a client of Google's service in the same region sees. Throws std::invalid_argument for
/// another name.
Shaping ShapingProfile(std::string_view profile);

/// Sets the field of that name to what `text` says: "50", "lognormal(50,200)", or "" for no limit. Returns false if
/// there is no such field. If the text is wrong, throws std::invalid_argument, which names the field, and changes
/// nothing.
bool SetField(Shaping& shaping, std::string_view field, std::string_view text);

/// Reads a JSON object of fields; a distribution is a number or a text. Fields that are missing have the values of the
/// profile that the member "profile" names, else the defaults. Throws std::invalid_argument, which names line and
/// field.
Shaping ParseShaping(std::string_view json);

/// The shaping of an emulator while it runs. Thread-safe.
class ShapingControl {
 public:
  virtual ~ShapingControl() = default;

  /// Replaces all of it, also for transfers under way. If a value is wrong, throws std::invalid_argument and changes
  /// nothing.
  virtual void Set(const Shaping& shaping) = 0;
  [[nodiscard]] virtual Shaping Get() const = 0;
};

}  // namespace gcsflux::emulator
