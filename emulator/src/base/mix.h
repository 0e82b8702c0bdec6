#pragma once

#include <cstdint>

namespace gcsflux::emulator {

/// A bijection of 64-bit numbers whose values look random: SplitMix64's (https://prng.di.unimi.it/splitmix64.c).
constexpr std::uint64_t Mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

/// A random-looking function of `value`, chosen by `seed`; for one seed it is a bijection too.
constexpr std::uint64_t Mix(std::uint64_t seed, std::uint64_t value) { return Mix(Mix(seed) ^ value); }

/// floor(a * b / 2^64).
constexpr std::uint64_t MultiplyHigh(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
}

}  // namespace gcsflux::emulator
