#pragma once

#include <cstdint>
#include <optional>

#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// The headers of a media answer (200 or 206).
struct ReadResponseInfo {
  std::uint64_t offset = 0;       ///< The offset of the body's first byte in the object.
  std::uint64_t object_size = 0;  ///< As stored.
  std::int64_t generation = 0;
  bool is_gzip = false;  ///< Stored with Content-Encoding: gzip.
  /// The body's length is announced, and the other headers say another one: the body may be that of another answer.
  bool has_other_length = false;
  std::optional<std::uint32_t> crc32c = {};  ///< Of the whole object, also if the answer is a part of it.
};

/// Parses "x-goog-hash: crc32c=AAAAAA==,md5=...", in one header or several. Nothing if there is none. Returns
/// kBadResponse if it is malformed, or there are two different ones. Ignores hashes of other kinds.
Result<std::optional<std::uint32_t>> FindCrc32c(const Headers& headers);

/// Parses x-goog-generation. Nothing if there is none. Returns kBadResponse if it is malformed, or there are two
/// different ones.
Result<std::optional<std::int64_t>> FindGeneration(const Headers& headers);

/// Returns kBadResponse if the object's size or generation is missing, or any of these values is malformed or
/// contradictory. A checksum may be missing.
Result<ReadResponseInfo> ParseReadResponse(const HttpResponse& response);

}  // namespace gcsflux::internal
