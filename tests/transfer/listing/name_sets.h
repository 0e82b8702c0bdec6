#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace gcsflux::internal::listing {

/// Sets of names as buckets have them, and as they should not; sorted bytewise, without duplicates. Each of about
/// `count`.
struct NameSet {
  const char* label;
  std::vector<std::string> (*make)(std::size_t count, unsigned seed);
};

/// For the messages of tests.
inline void PrintTo(const NameSet& set, std::ostream* out) { *out << set.label; }

std::vector<std::string> HexNames(std::size_t count, unsigned seed);
std::vector<std::string> PaddedSequence(std::size_t count, unsigned seed);
std::vector<std::string> DatedDirectories(std::size_t count, unsigned seed);  // 1,000 of uneven size
std::vector<std::string> ClassDirectories(std::size_t count, unsigned seed);  // 1,000; 50 of them hold half
std::vector<std::string> HugeDirectory(std::size_t count, unsigned seed);     // nine tenths, among tiny ones
std::vector<std::string> MixedUtf8(std::size_t count, unsigned seed);         // characters of one to four bytes
std::vector<std::string> UnpaddedCounter(std::size_t count, unsigned seed);   // after a long prefix
std::vector<std::string> DirectoryPerFile(std::size_t count, unsigned seed);
std::vector<std::string> Clusters(std::size_t count, unsigned seed);  // of geometric size, without '/'
std::vector<std::string> BurstyTimestamps(std::size_t count, unsigned seed);
std::vector<std::string> PrefixesOfEachOther(std::size_t count, unsigned seed);
std::vector<std::string> LongestNames(std::size_t count, unsigned seed);    // 1024 bytes, alike but for their ends
std::vector<std::string> EdgesOfUnicode(std::size_t count, unsigned seed);  // around U+FFFF and U+10FFFF
std::vector<std::string> OnlySlashes(std::size_t count, unsigned seed);     // and names that begin with many
std::vector<std::string> RandomBytesOfAscii(std::size_t count, unsigned seed);

/// The shapes by which speed is judged, a to j.
const std::vector<NameSet>& CommonNameSets();
/// Those that only have to be listed correctly.
const std::vector<NameSet>& NastyNameSets();

}  // namespace gcsflux::internal::listing
