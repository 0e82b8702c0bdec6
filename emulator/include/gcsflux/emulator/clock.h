#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace gcsflux::emulator {

/// The emulator's time. It is the machine's time until a test moves or freezes it.
///
/// Every timestamp, generation and expiry comes from it, so a test can pass a week at once:
/// `emulator.clock().Advance(std::chrono::hours(7 * 24))`. Thread-safe.
class Clock {
 public:
  using Time = std::chrono::system_clock::time_point;

  [[nodiscard]] Time Now() const;

  /// Moves the time forward. A running clock then runs on. `by` must not be negative.
  void Advance(std::chrono::nanoseconds by);

  /// Stops the time. From now on only Advance() moves it.
  void Freeze();

  /// Waits until `time`; Advance() can make that earlier. Returns false if `stop` is requested first.
  bool WaitUntil(Time time, const std::stop_token& stop) const;

  /// Returns when at least `waiters` threads are in WaitUntil(). Threads count that hold back an answer. After this
  /// call, a test that advances a frozen clock knows which threads it wakes.
  void AwaitWaiters(std::size_t waiters) const;

 private:
  static constexpr std::int64_t kRunning = INT64_MIN;

  std::atomic<std::int64_t> frozen_at_ = kRunning;  // nanoseconds since 1970, or kRunning
  std::atomic<std::int64_t> ahead_ = 0;             // nanoseconds by which a running clock is ahead of the machine's

  mutable std::mutex mutex_;                     // held while the time is moved; guards moves_ and waiters_
  mutable std::condition_variable_any moved_;    // moves_ has grown
  mutable std::condition_variable_any arrived_;  // waiters_ has grown
  std::uint64_t moves_ = 0;
  mutable std::size_t waiters_ = 0;
};

}  // namespace gcsflux::emulator
