#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// What the names of a virtual bucket's objects are like; the letters stand for them in flags.
enum class NamePattern : char {
  kHex = 'a',               ///< 32 hexadecimal digits, as a hash has.
  kPaddedSequence = 'b',    ///< "sample-000000000042.bin".
  kDatedDirectories = 'c',  ///< "2022-01-01/000000000042.jpg": 1,000 days, of uneven (log-normal) size.
  kClassDirectories = 'd',  ///< "n01440764/000000000042.jpg": 1,000 classes, 50 of which hold one half.
  kHugeDirectory = 'e',     ///< "batch-000000000007/000000000042.bin": one holds nine tenths, the others 1 to 9 each.
  kUtf8 = 'f',              ///< Names of different length out of characters of one to four bytes.
  kUnpaddedCounter = 'g',   ///< "experiments/.../sample-42.npy": a long prefix, then 0, 1, 10, 100, 101 in this order.
  kDirectoryPerFile = 'h',  ///< "0123456789abcdef/data.bin".
};

/// At most so many objects in a virtual bucket, each at most so large: GCS's own limit, 5 TiB.
constexpr std::uint64_t kMaxVirtualObjects = 1'000'000'000'000;
constexpr std::uint64_t kMaxVirtualObjectBytes = std::uint64_t{5} << 40;

/// A bucket whose objects are computed, not stored: millions of names, or terabytes, take no memory.
///
/// Names, sizes and contents follow from these fields alone; so do generations and times, which therefore stay the same
/// from one emulator to the next. Contents differ by object and by position and have a CRC32C, but no MD5. These
/// objects can be read, listed, copied and composed; writing, changing or deleting one is refused with 403
/// `retentionPolicyNotMet`. Other names in the bucket are written as in any other.
struct VirtualBucket {
  std::string name = {};
  std::uint64_t count = 0;  ///< Of objects, at most kMaxVirtualObjects.
  /// Every object's size, or where sigma is not 0 the median of their log-normal distribution.
  std::uint64_t size_bytes = std::uint64_t{100} << 10;
  /// Of the sizes' logarithms, 0 to 10; 0 makes all sizes the same. 1 spreads them as photographs are.
  double size_sigma = 0;
  NamePattern pattern = NamePattern::kHex;
  /// Change it for other names of the same shape, and other contents.
  std::uint64_t seed = 0;

  friend bool operator==(const VirtualBucket&, const VirtualBucket&) = default;
};

/// Reads `name:count:size:pattern[:seed],...`: size in bytes or in KiB, MiB, GiB or TiB, fixed (`100KiB`) or
/// `lognormal(100KiB,1.2)`, the median and sigma; pattern a letter of NamePattern.
///
/// Throws std::invalid_argument, which names the bucket and the field, where anything is malformed.
std::vector<VirtualBucket> ParseVirtualBuckets(std::string_view text);

}  // namespace gcsflux::emulator
