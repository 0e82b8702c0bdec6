#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/process/mutex.h"
#include "loop/loop_condition.h"

namespace gcsflux::internal {

/// The bytes of a part.
struct PartBuffer {
  std::unique_ptr<std::byte[]> memory = {};
  std::size_t capacity = 0;
  std::size_t size = 0;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {memory.get(), size}; }
};

/// Memory for parts, within a limit: a caller that needs more waits until others release theirs. Memory is reused,
/// which is faster than new memory from the system. Thread-safe.
class PartBuffers {
 public:
  explicit PartBuffers(std::uint64_t limit) : limit_(limit) {}

  /// Waits until there is room. At least one buffer is always available. Throws std::bad_alloc.
  std::unique_ptr<PartBuffer> Take(std::size_t capacity) {
    MutexLock lock(mutex_);
    given_back_.Wait(lock, [&]() REQUIRES(mutex_) { return used_ == 0 || used_ + capacity <= limit_; });
    used_ += capacity;
    most_ = std::max(most_, used_);
    std::erase_if(free_, [&](const auto& buffer) { return buffer->capacity != capacity; });
    if (!free_.empty()) {
      auto buffer = std::move(free_.back());
      free_.pop_back();
      return buffer;
    }
    lock.unlock();
    try {
      auto buffer = std::make_unique<PartBuffer>();
      buffer->memory = std::make_unique_for_overwrite<std::byte[]>(capacity);
      buffer->capacity = capacity;
      return buffer;
    } catch (...) {
      lock.lock();
      used_ -= capacity;
      throw;
    }
  }

  void GiveBack(std::unique_ptr<PartBuffer> buffer) {
    {
      const MutexLock lock(mutex_);
      used_ -= buffer->capacity;
      buffer->size = 0;
      free_.push_back(std::move(buffer));
    }
    given_back_.NotifyAll();
  }

  [[nodiscard]] std::uint64_t most() const {
    const MutexLock lock(mutex_);
    return most_;
  }

 private:
  const std::uint64_t limit_;
  mutable Mutex mutex_;
  LoopCondition given_back_;
  std::vector<std::unique_ptr<PartBuffer>> free_ GUARDED_BY(mutex_);
  std::uint64_t used_ GUARDED_BY(mutex_) = 0;
  std::uint64_t most_ GUARDED_BY(mutex_) = 0;
};

}  // namespace gcsflux::internal
