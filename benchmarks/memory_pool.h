#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gcsflux::bench {

/// Memory that is used again, as a pinned pool's would be: what fresh pages cost is not asked where it is used.
/// Thread-safe. It outlives what it gives.
class MemoryPool {
 public:
  /// Lets go of what is there, and touches what `blocks` reads of so many bytes take.
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
