#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/process/mutex.h"
#include "checkpoints/state_file.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Memory for a copy of a state.
struct SnapshotMemory {
  std::unique_ptr<std::byte[]> bytes = {};
  std::size_t capacity = 0;
};

/// Returns kLocalIo with a message that says what to do.
Error NoMemoryForSnapshot(std::size_t bytes);

/// Keeps memory from one snapshot to the next: pages that were used before are written eight times as fast as fresh
/// ones. Thread-safe.
class SnapshotPool {
 public:
  /// Returns kLocalIo if there is not enough memory.
  Result<SnapshotMemory> Take(std::size_t bytes);
  void GiveBack(SnapshotMemory memory);

 private:
  Mutex mutex_;
  std::vector<SnapshotMemory> free_ GUARDED_BY(mutex_);
};

/// The bytes of all storages together.
std::size_t BytesOf(const StateContents& contents);

/// Copies the storages into `memory`, which has room for all of them, on `threads` threads. The result lies in it.
StateContents CopyContents(const StateContents& contents, std::span<std::byte> memory, std::size_t threads);

}  // namespace gcsflux::internal
