#include "transfer/download/allocate.h"

#include <exception>
#include <new>

#include "loop/user_code_threads.h"

namespace gcsflux::internal {
namespace {

// Null if the allocator gives none; `why` then tells the reason.
std::shared_ptr<std::byte[]> AskAllocator(const Allocator& allocator, std::uint64_t bytes, std::string& why) try {
  return allocator(bytes);
} catch (const std::exception& thrown) {
  why = std::string(": the allocator threw: ") + thrown.what();
  return nullptr;
} catch (...) {
  why = ": the allocator threw something";
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<std::byte[]>> Allocate(const Allocator& allocator, BlockPool& blocks, std::uint64_t bytes,
                                              const std::function<std::string()>& what) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 47;  // More than a process can address.
  std::shared_ptr<std::byte[]> memory;
  std::string why = allocator ? ": the allocator gave none" : "";
  if (bytes == 0) return memory;
  if (!allocator) memory = blocks.Take(bytes);
  if (allocator && bytes < kMost)
    RunUserCode(UserCode::kMayWait, [&] { memory = AskAllocator(allocator, bytes, why); });
  if (memory) return memory;
  return Error{ErrorCode::kInvalidArgument,
               "no memory for " + what() + " of " + std::to_string(bytes) + " bytes" + why};
}

}  // namespace gcsflux::internal
