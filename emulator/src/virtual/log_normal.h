#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/mix.h"

namespace gcsflux::emulator {

/// A log-normal variate of median 1, computed from `random`, whose bits are evenly distributed (Box and Muller's
/// method).
inline double LogNormal(std::uint64_t random, double sigma) {
  constexpr double kUnit = 0x1p-53;
  const double above_zero = (static_cast<double>(random >> 11) + 0.5) * kUnit;
  const double angle = static_cast<double>(Mix(random) >> 11) * kUnit * 2 * std::numbers::pi;
  return std::exp(sigma * std::sqrt(-2 * std::log(above_zero)) * std::cos(angle));
}

}  // namespace gcsflux::emulator
