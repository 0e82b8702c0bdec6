#pragma once

#include <cstdint>

namespace gcsflux::internal {

/// Spreads the bits of a number over all of its bits: SplitMix64's finalizer (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, 2014). A bijection.
constexpr std::uint64_t Mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace gcsflux::internal
