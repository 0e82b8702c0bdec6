#include "transfer/download/allocate.h"

#include <exception>
#include <new>

namespace gcsflux::internal {
namespace {

std::shared_ptr<std::byte[]> Plain(std::size_t bytes) {
  return std::shared_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
}

}  // namespace

Result<std::shared_ptr<std::byte[]>> Allocate(const Allocator& allocator, std::uint64_t bytes,
                                              const std::function<std::string()>& what) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 47;  // More than a process can address.
  std::shared_ptr<std::byte[]> memory;
  std::string why = allocator ? ": the allocator gave none" : "";
  try {
    if (bytes == 0) return memory;
    if (bytes < kMost) memory = allocator ? allocator(bytes) : Plain(bytes);
  } catch (const std::exception& thrown) {
    why = std::string(": the allocator threw: ") + thrown.what();
  } catch (...) {
    why = ": the allocator threw something";
  }
  if (memory) return memory;
  return Error{ErrorCode::kInvalidArgument,
               "no memory for " + what() + " of " + std::to_string(bytes) + " bytes" + why};
}

}  // namespace gcsflux::internal
