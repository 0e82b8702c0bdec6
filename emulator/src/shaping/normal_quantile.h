#pragma once

#include <cmath>

namespace gcsflux::emulator {

/// The inverse of the normal distribution's function, to seven digits. `p` is above 0 and below 1. M. J. Wichura,
/// Algorithm AS 241: The percentage points of the normal distribution, Applied Statistics 37 (1988).
inline double NormalQuantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
           (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const auto tail = [r] {
    if (r <= 5) {
      const double s = r - 1.6;
      return (((0.17023821103 * s + 1.3067284816) * s + 2.7568153900) * s + 1.4234372777) /
             ((0.12021132975 * s + 0.73700164250) * s + 1);
    }
    const double s = r - 5;
    return (((0.017337203997 * s + 0.42868294337) * s + 3.0812263860) * s + 6.6579051150) /
           ((0.012258202635 * s + 0.24197894225) * s + 1);
  }();
  return q < 0 ? -tail : tail;
}

}  // namespace gcsflux::emulator
