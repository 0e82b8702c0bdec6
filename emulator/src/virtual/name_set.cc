#include "virtual/name_set.h"

#include <algorithm>
#include <stdexcept>

#include "virtual/name_patterns.h"

namespace gcsflux::emulator {

std::uint64_t NameSet::LowerBound(std::string_view name, std::uint64_t from) const {
  // Strides that double, then bisection of the last one: a near successor is found quickly.
  std::uint64_t low = from;
  std::uint64_t high = count_;
  for (std::uint64_t stride = 1; stride < high - low; stride *= 2) {
    if (Name(low + stride - 1) >= name) {
      high = low + stride - 1;
      break;
    }
    low += stride;
  }
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (Name(middle) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::unique_ptr<const NameSet> MakeNameSet(NamePattern pattern, std::uint64_t count, std::uint64_t seed) {
  switch (pattern) {
    case NamePattern::kHex: return HexNames(count, seed);
    case NamePattern::kPaddedSequence: return PaddedSequenceNames(count);
    case NamePattern::kDatedDirectories: return DatedDirectoryNames(count, seed);
    case NamePattern::kClassDirectories: return ClassDirectoryNames(count, seed);
    case NamePattern::kHugeDirectory: return HugeDirectoryNames(count);
    case NamePattern::kUtf8: return Utf8Names(count, seed);
    case NamePattern::kUnpaddedCounter: return UnpaddedCounterNames(count);
    case NamePattern::kDirectoryPerFile: return DirectoryPerFileNames(count, seed);
  }
  throw std::invalid_argument("this pattern of names does not exist");
}

}  // namespace gcsflux::emulator
