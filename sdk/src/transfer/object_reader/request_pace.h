#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace gcsflux::internal {

/// How long requests take, as a reader sees it. Thread-safe.
class RequestPace {
 public:
  void Note(std::chrono::nanoseconds first_byte, std::chrono::nanoseconds rest, std::uint64_t bytes);
  /// The bytes that come over a connection while another request waits for its first byte; nothing where no request of
  /// any size has ended.
  [[nodiscard]] std::optional<std::uint64_t> BytesPerFirstByte() const;

 private:
  mutable std::mutex mutex_;
  double first_byte_s_ = 0;  // Guarded by mutex_, as what follows: moving means.
  double bytes_per_s_ = 0;
};

}  // namespace gcsflux::internal
