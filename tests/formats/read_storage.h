#pragma once

#include "formats/checkpoint_reader.h"

namespace gcsflux::formats_tests {

/// Reads one storage.
inline Result<void> ReadStorage(const internal::CheckpointReader& reader, std::size_t storage,
                                std::span<std::byte> into) {
  const StorageRead one{storage, into};
  return reader.ReadStorages({&one, 1});
}
inline Result<void> ReadStorage(const StoredCheckpoint& checkpoint, std::size_t storage, std::span<std::byte> into) {
  return ReadStorage(checkpoint.reader(), storage, into);
}

}  // namespace gcsflux::formats_tests
