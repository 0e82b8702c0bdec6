#pragma once

#include <chrono>
#include <stop_token>

namespace gcsflux::internal {

/// Clock, waits and random numbers as an argument, so that tests of retries never sleep. Thread-safe.
class Timing {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~Timing() = default;
  [[nodiscard]] virtual TimePoint Now() const = 0;
  /// The date, which may be changed from outside: for time stamps and expiry. Now() measures durations.
  [[nodiscard]] virtual std::chrono::system_clock::time_point SystemNow() const = 0;
  /// Waits. If `stop` requests it, returns early with false.
  virtual bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const = 0;
  /// Uniform in [0, 1).
  [[nodiscard]] virtual double Random() const = 0;
};

}  // namespace gcsflux::internal
