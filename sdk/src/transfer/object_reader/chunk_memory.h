#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace gcsflux::internal {

struct FreeChunk {
  std::size_t bytes = 0;
  bool is_mapped = false;
  void operator()(std::byte* memory) const {
    if (!is_mapped) return std::free(memory);
    static_cast<void>(::munmap(memory, bytes));
  }
};

/// Memory for bytes that are fetched ahead. Null if there is none.
using ChunkMemory = std::unique_ptr<std::byte[], FreeChunk>;

/// Chunks of a large object are mapped: malloc() would keep freed memory, beyond the limit for reading ahead. A small
/// object uses malloc(), which has the memory already.
inline ChunkMemory MakeChunkMemory(std::size_t bytes, std::uint64_t object_size) {
  constexpr std::uint64_t kLargeObject = 8U << 20;
  constexpr std::size_t kLeastMapped = 256U << 10;
  constexpr std::size_t kHugePage = 2U << 20;
  if (object_size < kLargeObject || bytes < kLeastMapped) {
    return {static_cast<std::byte*>(std::malloc(bytes)), FreeChunk{bytes, false}};
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return {nullptr, FreeChunk{bytes, true}};
  // Most of its cost is the page faults of the first use.
  if (bytes >= kHugePage) static_cast<void>(::madvise(mapped, bytes, MADV_HUGEPAGE));
  return {static_cast<std::byte*>(mapped), FreeChunk{bytes, true}};
}

}  // namespace gcsflux::internal
