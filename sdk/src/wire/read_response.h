#pragma once

#include <cstdint>
#include <optional>

#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// What the headers of a media answer (200 or 206) say.
struct ReadResponseInfo {
  std::uint64_t offset = 0;       ///< Of the body's first byte in the object.
  std::uint64_t object_size = 0;  ///< As stored.
  std::int64_t generation = 0;
  bool is_gzip = false;                      ///< Stored with Content-Encoding: gzip.
  std::optional<std::uint32_t> crc32c = {};  ///< Of the whole object, also where the answer is a part of it.
};

/// Out of "x-goog-hash: crc32c=AAAAAA==,md5=...", in one header or in several; nothing where there is none.
/// kBadResponse where it cannot be one, or there are two that differ. Hashes of other kinds are not looked at.
Result<std::optional<std::uint32_t>> FindCrc32c(const Headers& headers);

/// Out of x-goog-generation; nothing where there is none. kBadResponse where it cannot be one, or there are two that
/// differ.
Result<std::optional<std::int64_t>> FindGeneration(const Headers& headers);

/// kBadResponse where the object's size or generation is not to be found, or anything of this is malformed or said in
/// two ways. A checksum may be missing.
Result<ReadResponseInfo> ParseReadResponse(const HttpResponse& response);

}  // namespace gcsflux::internal
