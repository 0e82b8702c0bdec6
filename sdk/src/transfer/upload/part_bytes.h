#pragma once

#include <algorithm>
#include <cstdint>

namespace gcsflux::internal {

inline constexpr std::uint64_t kLeastPartBytes = 5U << 20;
inline constexpr int kMostParts = 10'000;

/// The most that part `number` (from 1) of an object whose length is not known has: it doubles after each 1,250 parts,
/// so that 10,000 parts of 16 MiB at first hold nearly 5 TiB, the most that an object may have. Never more than `most`.
constexpr std::uint64_t PartBytes(std::uint64_t first, int number, std::uint64_t most) {
  constexpr int kPartsOfOneSize = 1'250;
  return std::min(most, first << ((number - 1) / kPartsOfOneSize));
}

}  // namespace gcsflux::internal
