#include "loop/fiber_stack.h"

#include <sys/mman.h>

namespace gcsflux::internal {
namespace {

constexpr std::size_t kGuardBytes = 16U << 10;  // A multiple of the page size of every common machine.
// A read takes 12 KiB. The rest is for rare cases, such as a signature by OpenSSL. Sanitizers need several times more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kUsableBytes = 512U << 10;
#else
constexpr std::size_t kUsableBytes = 112U << 10;
#endif

}  // namespace

std::optional<FiberStack> FiberStack::Make() {
  void* const start = ::mmap(nullptr, kGuardBytes + kUsableBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (start == MAP_FAILED) return std::nullopt;
  FiberStack stack(static_cast<std::byte*>(start));
  if (::mprotect(start, kGuardBytes, PROT_NONE) != 0) return std::nullopt;
  return stack;
}

void FiberStack::Unmap::operator()(std::byte* start) const {
  static_cast<void>(::munmap(start, kGuardBytes + kUsableBytes));
}

std::span<std::byte> FiberStack::bytes() const { return {start_.get() + kGuardBytes, kUsableBytes}; }

}  // namespace gcsflux::internal
