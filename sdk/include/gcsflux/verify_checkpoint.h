#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gcsflux/stored_checkpoint.h"

namespace gcsflux {

/// What reading a storage whole has shown.
struct VerifiedStorage {
  std::size_t storage = 0;
  std::uint32_t crc32c = 0;          ///< Of the bytes that were read.
  bool is_verified = false;          ///< The file has a checksum of it, and they agree.
  std::optional<Error> damage = {};  ///< kCorrupted: they do not. `crc32c` is 0 then.
};

struct VerifyReport {
  std::uint64_t storages = 0;
  std::uint64_t damaged = 0;
  std::uint64_t bytes = 0;           ///< Of all storages.
  std::uint64_t verified_bytes = 0;  ///< Of those that the file has a checksum of.
};

/// Reads all storages and compares them with the file's checksums, in bounded memory. A damaged one does not end it;
/// any other failure does.
Result<VerifyReport> VerifyCheckpoint(const StoredCheckpoint& checkpoint,
                                      const std::function<void(const VerifiedStorage&)>& on_storage = {});

}  // namespace gcsflux
