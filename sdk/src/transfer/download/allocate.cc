#include "transfer/download/allocate.h"

#include <sys/mman.h>

#include <exception>
#include <new>

#include "loop/guest_threads.h"

namespace gcsflux::internal {
namespace {

// From here on a block is a mapping of its own, which goes back when it is freed. Of smaller ones malloc's arenas, one
// for every few threads, keep some; of blocks of 3 MiB that were 60 MiB more than were in use.
constexpr std::size_t kOwnMapping = std::size_t{1} << 20;

std::shared_ptr<std::byte[]> Mapped(std::size_t bytes) {
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(start), [bytes](std::byte* block) { ::munmap(block, bytes); }};
}

std::shared_ptr<std::byte[]> Plain(std::size_t bytes) {
  if (bytes >= kOwnMapping) return Mapped(bytes);
  return std::shared_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
}

// Null where it gives none, which `why` says then.
std::shared_ptr<std::byte[]> AskGuest(const Allocator& allocator, std::uint64_t bytes, std::string& why) try {
  return allocator(bytes);
} catch (const std::exception& thrown) {
  why = std::string(": the allocator threw: ") + thrown.what();
  return nullptr;
} catch (...) {
  why = ": the allocator threw something";
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<std::byte[]>> Allocate(const Allocator& allocator, std::uint64_t bytes,
                                              const std::function<std::string()>& what) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 47;  // More than a process can address.
  std::shared_ptr<std::byte[]> memory;
  std::string why = allocator ? ": the allocator gave none" : "";
  if (bytes == 0) return memory;
  if (bytes < kMost && !allocator) memory = Plain(bytes);
  if (bytes < kMost && allocator) RunGuest([&] { memory = AskGuest(allocator, bytes, why); });
  if (memory) return memory;
  return Error{ErrorCode::kInvalidArgument,
               "no memory for " + what() + " of " + std::to_string(bytes) + " bytes" + why};
}

}  // namespace gcsflux::internal
