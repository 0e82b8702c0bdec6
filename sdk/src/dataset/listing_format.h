#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gcsflux/listing.h"

// A saved listing's bytes. Numbers are LEB128; signed ones zigzag first; text is its length and its bytes.
//
//   "gcsflux listing\n"  magic
//   version              1; 3 if a Cloud KMS key encrypts one of the objects
//   bucket, prefix       text
//   time                 milliseconds since 1970, signed
//   classes              their number, then the names as text
//   keys                 in version 3, likewise: names of Cloud KMS keys; where an object has none, the empty name is
//   one count                of objects, then each object:
//     shared             bytes that its name begins with like the name before it
//     rest               text: the bytes of the name behind them
//     size
//     generation         the difference to the one before, signed
//     class and crc32c   2 x the index among the classes, + 1 where a CRC32C follows in 4 bytes, little-endian
//     key                in version 3: the index among the keys
//     updated            microseconds, the difference to the object's generation, which in Cloud Storage is a time
//   seal                 CRC32C of all bytes before it, 4 bytes, little-endian
namespace gcsflux::internal {

/// Returns kInvalidArgument if the names are not in bytewise order, one occurs twice, or DecodeListing() would refuse
/// their lengths.
Result<std::string> EncodeListing(const Listing& listing);

/// True if the bytes begin like a saved listing.
bool IsSavedListing(std::span<const std::byte> bytes);

/// Returns kCorrupted, or if the version is newer, kInvalidArgument. A name is at most 1,024 bytes long, as in Cloud
/// Storage, and all names together at most 64 times as long as the bytes. So a listing takes at most about 80 times the
/// memory of its bytes.
Result<Listing> DecodeListing(std::span<const std::byte> bytes);

}  // namespace gcsflux::internal
