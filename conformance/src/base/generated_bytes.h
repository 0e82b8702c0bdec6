#pragma once

#include <cstdint>
#include <string>

namespace gcsflux::conformance {

/// Bytes that a case names instead of listing them: `size` bytes from `offset` on of the endless sequence `seed`.
///
/// Byte i of a sequence is byte i % 8, least significant first, of splitmix64's output number i / 8. So a slice costs
/// its own length only, and another program can make the same bytes.
struct GeneratedBytes {
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

std::string Generate(const GeneratedBytes& wanted);

}  // namespace gcsflux::conformance
