#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "gcsflux/download.h"

namespace gcsflux::testing {

/// Counts the bytes that its allocator has given and that were not returned. Thread-safe.
class CountedMemory {
 public:
  Allocator allocator() {
    return [counts = counts_](std::size_t bytes) {
      const std::size_t live = counts->live += bytes;
      std::size_t most = counts->most;
      while (live > most && !counts->most.compare_exchange_weak(most, live)) {
      }
      return std::shared_ptr<std::byte[]>(new std::byte[bytes], [counts, bytes](const std::byte* memory) {
        delete[] memory;
        counts->live -= bytes;
      });
    };
  }
  [[nodiscard]] std::size_t live() const { return counts_->live; }
  [[nodiscard]] std::size_t most() const { return counts_->most; }

 private:
  struct Counts {
    std::atomic<std::size_t> live = 0;
    std::atomic<std::size_t> most = 0;
  };
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace gcsflux::testing
