#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/process/mutex.h"

namespace gcsflux::internal {

/// The length of each request, if `total` bytes are fetched over this many connections: requests of the same length, in
/// as few rounds as `most` allows, so that no connection idles in the last round. It lies between `least` and `most`.
std::uint64_t EvenChunk(std::uint64_t total, std::uint64_t connections, std::uint64_t least, std::uint64_t most);

/// How long requests take, as a reader sees it. Thread-safe.
class RequestPace {
 public:
  /// What a quick first byte is worth while that is not known.
  static constexpr std::uint64_t kMostAssumedBytes = 4U << 20;

  /// `answer`: how long the service took for another request, if one was sent: until a read has ended, nothing better
  /// is known.
  explicit RequestPace(std::optional<std::chrono::nanoseconds> answer = {}) : answer_(answer) {}
  void Note(std::chrono::nanoseconds first_byte, std::chrono::nanoseconds rest, std::uint64_t bytes);
  /// The bytes that come over a connection while another request waits for its first byte. Nothing if no request of any
  /// size has ended.
  [[nodiscard]] std::optional<std::uint64_t> BytesPerFirstByte() const;
  /// The same without the delay that requests at the same time cause each other on a fast network. The shortest time
  /// that was measured is the network's, but for what this process needs itself. Usual times are up to four times as
  /// long.
  [[nodiscard]] std::optional<std::uint64_t> BytesPerQuickFirstByte() const;

 private:
  [[nodiscard]] static std::uint64_t BytesIn(double seconds, double bytes_per_s);

  const std::optional<std::chrono::nanoseconds> answer_;

  mutable Mutex mutex_;
  // The first two are moving means; 0: not known.
  double first_byte_s_ GUARDED_BY(mutex_) = 0;
  double bytes_per_s_ GUARDED_BY(mutex_) = 0;
  double least_first_byte_s_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gcsflux::internal
