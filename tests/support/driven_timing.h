#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/timing.h"

namespace gcsflux::testing {

/// Time that passes only by Advance() and by waits, which return at once; and constant random numbers. Thread-safe.
class DrivenTiming : public internal::Timing {
 public:
  explicit DrivenTiming(double random = 0.5) : random_(random) {}

  [[nodiscard]] TimePoint Now() const override { return TimePoint(std::chrono::nanoseconds(now_.load())); }
  [[nodiscard]] std::chrono::system_clock::time_point SystemNow() const override {
    return std::chrono::sys_days(std::chrono::November / 20 / 2026) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(now_.load()));
  }
  bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const override {
    if (stop.stop_requested()) return false;
    now_ += duration.count();
    return true;
  }
  /// Time that passes without a wait.
  void Advance(std::chrono::nanoseconds duration) { now_ += duration.count(); }
  [[nodiscard]] double Random() const override { return random_; }

 private:
  const double random_;
  mutable std::atomic<std::int64_t> now_{1'000'000'000};
};

}  // namespace gcsflux::testing
