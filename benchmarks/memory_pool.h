#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gcsflux::bench {

/// Memory that is reused, as a pinned pool's: the cost of fresh pages is not part of the question. Thread-safe. It
/// outlives its blocks.
class MemoryPool {
 public:
  /// Frees its memory, and touches the memory of `blocks` reads of this size.
  void Prepare(std::size_t blocks, std::size_t bytes) {
    {
      const std::scoped_lock lock(mutex_);
      free_.clear();
    }
    std::vector<std::shared_ptr<std::byte[]>> touched(blocks);
    for (auto& block : touched) {
      block = Take(bytes);
      std::fill_n(block.get(), bytes, std::byte{1});
    }
  }

  std::shared_ptr<std::byte[]> Take(std::size_t bytes) {
    std::unique_ptr<std::byte[]> block;
    {
      const std::scoped_lock lock(mutex_);
      auto& free = free_[bytes];
      if (!free.empty()) {
        block = std::move(free.back());
        free.pop_back();
      }
    }
    if (!block) block = std::make_unique_for_overwrite<std::byte[]>(bytes);
    return {block.release(), [this, bytes](std::byte* done) {
              const std::scoped_lock lock(mutex_);
              free_[bytes].emplace_back(done);
            }};
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::unique_ptr<std::byte[]>>> free_;  // Guarded by mutex_.
};

/// That of the process.
inline MemoryPool& TheMemory() {
  static MemoryPool pool;
  return pool;
}

}  // namespace gcsflux::bench
