#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux {

/// The outcome of reading a whole storage.
struct VerifiedStorage {
  std::size_t storage = 0;
  std::uint32_t crc32c = 0;          ///< Of the bytes that were read; 0 if they are damaged.
  bool is_verified = false;          ///< The file has a checksum of it, and the bytes match it.
  std::optional<Error> damage = {};  ///< kCorrupted if the bytes do not match the checksum.
};

struct VerifyReport {
  std::uint64_t storages = 0;
  std::uint64_t damaged = 0;
  std::uint64_t bytes = 0;           ///< Of all storages.
  std::uint64_t verified_bytes = 0;  ///< Bytes of storages with a checksum.
};

/// Reads all storages and compares them with the file's checksums, in bounded memory. A damaged storage does not end
/// the call; any other failure does.
Result<VerifyReport> VerifyCheckpoint(const StoredCheckpoint& checkpoint,
                                      const std::function<void(const VerifiedStorage&)>& on_storage = {});

}  // namespace gcsflux
