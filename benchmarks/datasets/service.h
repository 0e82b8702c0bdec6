#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {

inline constexpr const char* kBucket = "bench";

/// One class of objects: how many are fetched, the batch size, and the rate of one stream if two cores, shared by
/// emulator and client, cannot carry 16 streams of 250 MB/s; 0 keeps the profile's rate.
struct SizeClass {
  std::uint64_t bytes = 0;
  std::size_t objects = 0;
  std::size_t batch = 256;
  double stream_mbps = 0;
};
/// The connector's four classes, by their size in KiB: 100, 500, 3072, 153600.
SizeClass ClassOf(std::int64_t kib);

/// An emulator in a separate process, and its objects. `kBucket` has copies of one object, which share its bytes there.
class Service {
 public:
  /// `flags` are the emulator's.
  explicit Service(std::vector<std::string> flags = {}) : emulator_(std::move(flags)) {}

  [[nodiscard]] const std::string& endpoint() const { return emulator_.endpoint(); }
  /// A new client with this read-ahead in bytes; 0 is the default.
  [[nodiscard]] Client MakeClient(std::uint64_t max_undelivered_bytes = 0) const;

  /// Without shaping: stores them before it is slow. Throws std::runtime_error.
  std::vector<ListedObject> Store(const SizeClass& size) const;

  /// As Cloud Storage, with its quotas; streams of this rate in MB/s if it is not 0.
  void BeLikeGcs(double stream_mbps) const;
  /// The same quotas, but this many writes per second.
  void LimitWrites(std::int64_t per_second) const;
  /// Each request takes this many milliseconds, without other delays.
  void TakePerRequest(int milliseconds) const;
  void BeFast() const;

 private:
  void Set(const std::string& what, const std::string& json) const;
  testing::EmulatorProcess emulator_;
};

}  // namespace gcsflux::bench
