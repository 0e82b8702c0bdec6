#include "transfer/download/block_pool.h"

#include <sys/mman.h>

#include <bit>
#include <new>

namespace gcsflux::internal {
namespace {

constexpr std::size_t kSmallest = 1024;

// A block of at least this size is a mapping of its own, which freeing returns to the system. malloc's arenas keep some
// of the smaller ones: with blocks of 3 MiB, 60 MiB more than were in use.
constexpr std::size_t kOwnMapping = std::size_t{1} << 20;

struct Size {
  std::size_t size_class;
  std::size_t bytes;
};

// Rounded up to 4, 5, 6 or 7 times a power of two.
Size SizeOf(std::size_t wanted) {
  const std::size_t least = wanted < kSmallest ? kSmallest : wanted;
  const auto shift = static_cast<std::size_t>(std::bit_width(least - 1)) - 3;
  const std::size_t steps = ((least - 1) >> shift) + 1;  // From 5 to 8.
  return {.size_class = 4 * shift + steps - 5, .bytes = steps << shift};
}

std::byte* Allocate(std::size_t bytes) {
  if (bytes < kOwnMapping) return new (std::nothrow) std::byte[bytes];
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
}

void Free(std::byte* block, std::size_t bytes) {
  if (block == nullptr) return;
  if (bytes < kOwnMapping) {
    delete[] block;
  } else {
    static_cast<void>(::munmap(block, bytes));
  }
}

std::size_t BytesOf(std::size_t size_class) { return (size_class % 4 + 5) << (size_class / 4); }

}  // namespace

BlockPool::~BlockPool() {
  for (std::size_t size_class = 0; size_class < unused_.size(); ++size_class) {
    for (std::byte* const block : unused_[size_class]) Free(block, BytesOf(size_class));
  }
}

std::shared_ptr<std::byte[]> BlockPool::Take(std::size_t bytes) {
  if (bytes > max_unused_bytes_) {
    return {Allocate(bytes), [bytes](std::byte* block) { Free(block, bytes); }};
  }
  const Size size = SizeOf(bytes);
  std::byte* block = TakeUnused(size.size_class, size.bytes);
  if (block == nullptr) block = Allocate(size.bytes);
  if (block == nullptr) return nullptr;
  return {block,
          [pool = shared_from_this(), size](std::byte* back) { pool->GiveBack(back, size.size_class, size.bytes); }};
}

std::byte* BlockPool::TakeUnused(std::size_t size_class, std::size_t bytes) {
  const MutexLock lock(mutex_);
  auto& unused = unused_[size_class];
  if (unused.empty()) return nullptr;
  std::byte* const block = unused.back();
  unused.pop_back();
  unused_bytes_ -= bytes;
  return block;
}

void BlockPool::GiveBack(std::byte* block, std::size_t size_class, std::size_t bytes) {
  {
    const MutexLock lock(mutex_);
    if (unused_bytes_ + bytes <= max_unused_bytes_) {
      unused_[size_class].push_back(block);
      unused_bytes_ += bytes;
      return;
    }
  }
  Free(block, bytes);
}

}  // namespace gcsflux::internal
