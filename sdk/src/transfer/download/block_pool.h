#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/process/mutex.h"

namespace gcsflux::internal {

/// Memory for the objects of a stream. Blocks that the consumer releases are reused: the page faults of new memory are
/// half of the cost of a small read. Thread-safe; its blocks may outlive it.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
 public:
  /// Keeps at most this many unused bytes. Larger blocks are never kept.
  explicit BlockPool(std::uint64_t max_unused_bytes) : max_unused_bytes_(max_unused_bytes) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// A block of at least `bytes` (1 or more). The last pointer returns it. Null if the system has no memory.
  std::shared_ptr<std::byte[]> Take(std::size_t bytes);

 private:
  // Blocks of similar size: four sizes for each power of two.
  static constexpr std::size_t kClasses = std::size_t{4} * 64;

  std::byte* TakeUnused(std::size_t size_class, std::size_t bytes);
  void GiveBack(std::byte* block, std::size_t size_class, std::size_t bytes);

  const std::uint64_t max_unused_bytes_;
  LeafMutex mutex_;  // A child may release what its parent's stream delivered.
  // The most recently used block is the last.
  std::array<std::vector<std::byte*>, kClasses> unused_ GUARDED_BY(mutex_);
  std::uint64_t unused_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gcsflux::internal
