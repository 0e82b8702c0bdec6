#pragma once

#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux::formats_tests {

/// Reads one storage.
template <class Checkpoint>
Result<void> ReadStorage(const Checkpoint& checkpoint, std::size_t storage, std::span<std::byte> into) {
  const StorageRead one{storage, into};
  return checkpoint.ReadStorages({&one, 1});
}

}  // namespace gcsflux::formats_tests
