#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace gcsflux::emulator {

/// An emulator's time: the machine's, until a test moves or freezes it.
///
/// Every timestamp, generation and expiry comes from it, so that a test can live through a week at once:
/// `emulator.clock().Advance(std::chrono::hours(7 * 24))`. It never wakes anybody. Thread-safe.
class Clock {
 public:
  using Time = std::chrono::system_clock::time_point;

  [[nodiscard]] Time Now() const;

  /// Moves the time forward, which then goes on as before; `by` must not be negative.
  void Advance(std::chrono::nanoseconds by);

  /// From now on only Advance() moves the time.
  void Freeze();

 private:
  static constexpr std::int64_t kRunning = INT64_MIN;

  std::atomic<std::int64_t> frozen_at_ = kRunning;  // nanoseconds since 1970, or kRunning
  std::atomic<std::int64_t> ahead_ = 0;             // nanoseconds by which a running clock is ahead of the machine's
};

}  // namespace gcsflux::emulator
