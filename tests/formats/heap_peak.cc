#include "formats/heap_peak.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> live = 0;
std::atomic<std::int64_t> most = 0;

void* Allocate(std::size_t size) {
  void* const memory = std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr) throw std::bad_alloc();
  live += static_cast<std::int64_t>(malloc_usable_size(memory));
  most = std::max(most.load(), live.load());
  return memory;
}

void Release(void* memory) {
  if (memory != nullptr) live -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { Release(memory); }
void operator delete[](void* memory) noexcept { Release(memory); }
void operator delete(void* memory, std::size_t) noexcept { Release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { Release(memory); }

namespace gcsflux::formats_tests {

std::uint64_t TakeHeapPeak() {
  static std::int64_t before = 0;
  const std::int64_t peak = most - before;
  before = live;
  most = live.load();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(peak, 0));
}

}  // namespace gcsflux::formats_tests
