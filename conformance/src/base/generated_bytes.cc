#include "base/generated_bytes.h"

namespace gcsflux::conformance {
namespace {

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014) at a given position.
std::uint64_t WordAt(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::string Generate(const GeneratedBytes& wanted) {
  std::string bytes(wanted.size, '\0');
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < wanted.size; ++i) {
    const std::uint64_t position = wanted.offset + i;
    if (i == 0 || position % 8 == 0) word = WordAt(wanted.seed, position / 8);
    bytes[i] = static_cast<char>(static_cast<unsigned char>(word >> (8 * (position % 8))));
  }
  return bytes;
}

}  // namespace gcsflux::conformance
