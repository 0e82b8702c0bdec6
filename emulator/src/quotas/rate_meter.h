#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// Events per second, mostly of the last second: older ones fade exponentially. One thread.
class RateMeter {
 public:
  void Record(Clock::Time now) {
    const double passed = std::chrono::duration<double>(now - last_).count();
    rate_ = rate_ * std::exp(-std::max(passed, 0.0)) + 1;
    last_ = now;
  }
  /// The rate directly after the last event.
  [[nodiscard]] double per_second() const { return rate_; }

 private:
  Clock::Time last_ = {};
  double rate_ = 0;
};

}  // namespace gcsflux::emulator
