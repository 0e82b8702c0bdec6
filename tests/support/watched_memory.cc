#include "support/watched_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> allocations = 0;
thread_local std::size_t least_bytes = 0;  // 0: all allocations succeed.
thread_local int left = 0;
thread_local bool failed = false;

void* Allocate(std::size_t size) {
  ++allocations;
  const bool fails = least_bytes != 0 && size >= least_bytes && left-- == 0;
  failed = failed || fails;
  void* const memory = fails ? nullptr : std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace gcsflux::testing {

std::uint64_t Allocations() { return allocations; }

ScarceMemory::ScarceMemory(std::size_t least, int number) {
  least_bytes = least;
  left = number;
  failed = false;
}

ScarceMemory::~ScarceMemory() { least_bytes = 0; }

bool ScarceMemory::has_failed() { return failed; }

}  // namespace gcsflux::testing
