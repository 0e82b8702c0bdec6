#pragma once

#include <optional>
#include <string>

#include "http/api_error.h"
#include "store/bytes/body.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// Adds the hashes of a header `x-goog-hash: crc32c=...,md5=...`. 400 if it is malformed or contradicts `hashes`.
ApiResult<void> ReadHashHeader(const std::optional<std::string>& header, ExpectedHashes& hashes);

/// 400 if the body has other hashes. MD5 is computed only if it is expected.
ApiResult<void> CheckHashes(const ExpectedHashes& hashes, const Body& body);

}  // namespace gcsflux::emulator
