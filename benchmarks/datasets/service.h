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

/// One class of objects: how many are fetched, in batches of how many, and how fast one stream of them may be where
/// both cores together, the emulator's and the client's, would not carry 16 streams of 250 MB/s; 0 leaves the profile's
/// rate.
struct SizeClass {
  std::uint64_t bytes = 0;
  std::size_t objects = 0;
  std::size_t batch = 256;
  double stream_mbps = 0;
};
/// The connector's four, by their size in KiB: 100, 500, 3072, 153600.
SizeClass ClassOf(std::int64_t kib);

/// An emulator of its own process, and what it stores. `kBucket` has copies of one object, which share its bytes there.
class Service {
 public:
  /// `flags` are the emulator's.
  explicit Service(std::vector<std::string> flags = {}) : emulator_(std::move(flags)) {}

  [[nodiscard]] const std::string& endpoint() const { return emulator_.endpoint(); }
  /// A client of its own, which may have fetched so many bytes ahead; 0 is the default.
  [[nodiscard]] Client MakeClient(std::uint64_t max_undelivered_bytes = 0) const;

  /// Without shaping: stores them before it is slow. Throws std::runtime_error.
  std::vector<ListedObject> Store(const SizeClass& size) const;

  /// As Google's service is, with its quotas; streams of so many MB/s where it is not 0.
  void BeLikeGcs(double stream_mbps) const;
  /// Each request takes so many milliseconds, and nothing else does.
  void TakePerRequest(int milliseconds) const;
  void BeFast() const;

 private:
  void Set(const std::string& what, const std::string& json) const;
  testing::EmulatorProcess emulator_;
};

}  // namespace gcsflux::bench
