#pragma once

#include <cstdint>
#include <stop_token>

#include "client/client_core.h"

namespace gcsflux::internal {

/// What an upload sent.
struct SentObject {
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
};

/// Compares the object in the service's answer with what any kind of upload sent.
///
/// Returns kCorrupted if its CRC32C differs. Exactly this generation is then deleted; the message says so, or says what
/// remains. Returns kBadResponse if only its size differs or is missing. An answer without a CRC32C is accepted,
/// because the service has compared the bytes with the CRC32C of the request.
Result<ObjectMetadata> CheckStored(const ClientCore& core, const ObjectMetadata& stored, const SentObject& sent,
                                   const CallOptions& call, const std::stop_token& stop);

}  // namespace gcsflux::internal
