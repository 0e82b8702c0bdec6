#pragma once

#include <chrono>
#include <stop_token>

namespace gcsflux::internal {

/// Time, waiting and chance, passed in so that tests of retries never sleep. Thread-safe.
class Timing {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~Timing() = default;
  [[nodiscard]] virtual TimePoint Now() const = 0;
  /// The date, which others set: for what is stamped or expires. Durations are measured by Now().
  [[nodiscard]] virtual std::chrono::system_clock::time_point SystemNow() const = 0;
  /// Waits; returns early, and false, when `stop` asks for it.
  virtual bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const = 0;
  /// Uniform in [0, 1).
  [[nodiscard]] virtual double Random() const = 0;
};

}  // namespace gcsflux::internal
