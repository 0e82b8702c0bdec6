#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace gcsflux::internal {

/// Pieces from this length on are mapped: malloc() would keep what is given back, beyond the limit for reading ahead.
inline constexpr std::size_t kMappedBytes = 8U << 20;

struct FreePiece {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const {
    if (bytes < kMappedBytes) return std::free(memory);
    static_cast<void>(::munmap(memory, bytes));
  }
};

/// Memory for bytes that are fetched ahead. Null if there is none.
using PieceMemory = std::unique_ptr<std::byte[], FreePiece>;

inline PieceMemory MakePieceMemory(std::size_t bytes) {
  if (bytes < kMappedBytes) return {static_cast<std::byte*>(std::malloc(bytes)), FreePiece{bytes}};
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return {nullptr, FreePiece{bytes}};
  static_cast<void>(::madvise(mapped, bytes, MADV_HUGEPAGE));  // Most of its cost is the page faults of the first use.
  return {static_cast<std::byte*>(mapped), FreePiece{bytes}};
}

}  // namespace gcsflux::internal
