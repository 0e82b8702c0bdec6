#pragma once

#include <optional>
#include <string>

#include "http/api_error.h"
#include "store/bytes/body.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// Adds what an `x-goog-hash: crc32c=...,md5=...` header says. 400 where it is malformed or contradicts `hashes`.
ApiResult<void> ReadHashHeader(const std::optional<std::string>& header, ExpectedHashes& hashes);

/// 400 where the body's hashes are others. MD5 is computed only where it is expected.
ApiResult<void> CheckHashes(const ExpectedHashes& hashes, const Body& body);

}  // namespace gcsflux::emulator
