#include "checkpoints/saves/snapshot.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kLeastOfAThread = std::size_t{4}
                                        << 20;  // Below that, starting a thread takes longer than the copy.

// Copies bytes [begin, end) of all storages, counted as if they followed each other.
void CopyRange(const StateContents& contents, std::span<std::byte> memory, std::size_t begin, std::size_t end) {
  std::size_t at = 0;
  for (const auto storage : contents.storages) {
    const std::size_t from = std::clamp(begin, at, at + storage.size());
    const std::size_t to = std::clamp(end, at, at + storage.size());
    if (from < to) std::memcpy(memory.data() + from, storage.data() + (from - at), to - from);
    at += storage.size();
  }
}

}  // namespace

Error NoMemoryForSnapshot(std::size_t bytes) {
  return {ErrorCode::kLocalIo, "there is no memory for a snapshot of " + std::to_string(bytes) +
                                   " bytes; save synchronously, or lower AsyncSaveOptions::max_in_flight"};
}

Result<SnapshotMemory> SnapshotPool::Take(std::size_t bytes) {
  {
    const MutexLock lock(mutex_);
    const auto fits = [&](const SnapshotMemory& memory) { return memory.capacity >= bytes; };
    if (const auto found = std::find_if(free_.begin(), free_.end(), fits); found != free_.end()) {
      SnapshotMemory memory = std::move(*found);
      free_.erase(found);
      return memory;
    }
    if (!free_.empty()) free_.pop_back();  // The state grew.
  }
  try {
    return SnapshotMemory{std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
  } catch (const std::bad_alloc&) {
    return NoMemoryForSnapshot(bytes);
  }
}

void SnapshotPool::GiveBack(SnapshotMemory memory) {
  const MutexLock lock(mutex_);
  free_.push_back(std::move(memory));
}

std::size_t BytesOf(const StateContents& contents) {
  std::size_t bytes = 0;
  for (const auto storage : contents.storages) bytes += storage.size();
  return bytes;
}

StateContents CopyContents(const StateContents& contents, std::span<std::byte> memory, std::size_t threads) {
  const std::size_t bytes = BytesOf(contents);
  const std::size_t parts = std::clamp<std::size_t>(bytes / kLeastOfAThread, 1, std::max<std::size_t>(threads, 1));
  const auto copy = [&](std::size_t part) {
    CopyRange(contents, memory, bytes / parts * part, part + 1 == parts ? bytes : bytes / parts * (part + 1));
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t part = 1; part < parts; ++part) {
      auto helper = StartThread([&copy, part] { copy(part); });
      if (helper)
        helpers.push_back(*std::move(helper));
      else
        copy(part);
    }
    copy(0);
  }
  StateContents copied{.root = contents.root};
  std::size_t at = 0;
  for (const auto storage : contents.storages) {
    copied.storages.emplace_back(memory.data() + at, storage.size());
    at += storage.size();
  }
  return copied;
}

}  // namespace gcsflux::internal
