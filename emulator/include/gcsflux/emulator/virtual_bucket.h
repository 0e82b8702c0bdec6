#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// The shapes of names in a virtual bucket. The letters stand for them in flags.
enum class NamePattern : char {
  kHex = 'a',               ///< 32 hexadecimal digits, like a hash.
  kPaddedSequence = 'b',    ///< "sample-000000000042.bin".
  kDatedDirectories = 'c',  ///< "2022-01-01/000000000042.jpg": 1,000 days, of uneven (log-normal) size.
  kClassDirectories = 'd',  ///< "n01440764/000000000042.jpg": 1,000 classes, 50 of which hold one half.
  kHugeDirectory =
      'e',  ///< "batch-000000000007/000000000042.bin": one directory holds nine tenths, each other one 1 to 9 objects.
  kUtf8 = 'f',              ///< Names of different lengths, from characters of one to four bytes.
  kUnpaddedCounter = 'g',   ///< "experiments/.../sample-42.npy": a long prefix, then 0, 1, 10, 100, 101 in this order.
  kDirectoryPerFile = 'h',  ///< "0123456789abcdef/data.bin".
};

/// The largest number of objects in a virtual bucket, and the largest size of one: GCS's own limit, 5 TiB.
constexpr std::uint64_t kMaxVirtualObjects = 1'000'000'000'000;
constexpr std::uint64_t kMaxVirtualObjectBytes = std::uint64_t{5} << 40;

/// A bucket whose objects are computed, not stored: millions of names, or terabytes, take no memory.
///
/// Names, sizes, contents, generations and times follow from these fields alone, so they are the same in every
/// emulator. Contents differ by object and by position. They have a CRC32C, but no MD5. These objects can be read,
/// listed, copied and composed. Writing, changing or deleting one is refused with 403 `retentionPolicyNotMet`. Other
/// names in the bucket can be written as in any other bucket.
struct VirtualBucket {
  std::string name = {};
  std::uint64_t count = 0;  ///< The number of objects, at most kMaxVirtualObjects.
  /// The size of every object; if sigma is not 0, the median of their log-normal distribution.
  std::uint64_t size_bytes = std::uint64_t{100} << 10;
  /// The standard deviation of the sizes' logarithms, 0 to 10. 0 makes all sizes the same; 1 spreads them like
  /// photographs.
  double size_sigma = 0;
  NamePattern pattern = NamePattern::kHex;
  /// Change it for other names of the same shape, and for other contents.
  std::uint64_t seed = 0;

  friend bool operator==(const VirtualBucket&, const VirtualBucket&) = default;
};

/// Reads `name:count:size:pattern[:seed],...`. The size is in bytes or in KiB, MiB, GiB or TiB, fixed (`100KiB`) or
/// `lognormal(100KiB,1.2)`, with the median and sigma. The pattern is a letter of NamePattern.
///
/// If anything is malformed, throws std::invalid_argument, which names the bucket and the field.
std::vector<VirtualBucket> ParseVirtualBuckets(std::string_view text);

}  // namespace gcsflux::emulator
