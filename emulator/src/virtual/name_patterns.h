#pragma once

#include <cstdint>
#include <memory>

#include "virtual/name_set.h"

namespace gcsflux::emulator {

// One maker of names for each NamePattern, which describes the names.

std::unique_ptr<const NameSet> HexNames(std::uint64_t count, std::uint64_t seed);
std::unique_ptr<const NameSet> PaddedSequenceNames(std::uint64_t count);
std::unique_ptr<const NameSet> DatedDirectoryNames(std::uint64_t count, std::uint64_t seed);
std::unique_ptr<const NameSet> ClassDirectoryNames(std::uint64_t count, std::uint64_t seed);
std::unique_ptr<const NameSet> HugeDirectoryNames(std::uint64_t count);
std::unique_ptr<const NameSet> Utf8Names(std::uint64_t count, std::uint64_t seed);
std::unique_ptr<const NameSet> UnpaddedCounterNames(std::uint64_t count);
std::unique_ptr<const NameSet> DirectoryPerFileNames(std::uint64_t count, std::uint64_t seed);

}  // namespace gcsflux::emulator
