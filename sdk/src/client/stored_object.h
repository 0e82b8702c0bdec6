#pragma once

#include <cstdint>
#include <stop_token>

#include "client/client_core.h"

namespace gcsflux::internal {

/// What an upload has sent.
struct SentObject {
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
};

/// The object that the service says to have made of what was sent, by whatever kind of upload.
///
/// kCorrupted where its CRC32C is another: just this generation is deleted then, and the message says so, or what
/// remains. kBadResponse where its size alone is another, or is missing: that cannot be. An answer without a CRC32C is
/// taken, since the service compares what comes with the one that it was sent.
Result<ObjectMetadata> CheckStored(const ClientCore& core, const ObjectMetadata& stored, const SentObject& sent,
                                   const CallOptions& call, const std::stop_token& stop);

}  // namespace gcsflux::internal
