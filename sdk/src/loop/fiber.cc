#include "loop/fiber.h"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>
#include <cassert>
#include <cstring>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace gcsflux::internal {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constinit thread_local Fiber* current_fiber = nullptr;

}  // namespace

// Boost.Context switches stacks in a few instructions; swapcontext() makes four system calls for each suspension. Of
// the library only the two functions below its classes are used: those throw into a fiber that is destroyed, and build
// it in memory of their own. Sanitizers keep a shadow of each stack, and must be told of every switch.
struct Fiber::Context {
  // The C++ runtime keeps the exceptions in progress for each thread, although they belong to a stack (Itanium C++ ABI,
  // 2.2.2): a pointer and a count.
  struct HandledExceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  fcontext_t own = nullptr;      // where the fiber goes on
  fcontext_t resumer = nullptr;  // where its Resume() goes on
  HandledExceptions exceptions = {};
#if defined(__SANITIZE_ADDRESS__)
  void* own_shadow = nullptr;
  void* resumer_shadow = nullptr;
  const void* resumer_bottom = nullptr;
  std::size_t resumer_size = 0;
#elif defined(__SANITIZE_THREAD__)
  void* own_shadow = __tsan_create_fiber(0);
  void* resumer_shadow = nullptr;
  ~Context() { __tsan_destroy_fiber(own_shadow); }
#endif

  void SwapExceptions() {
    void* const of_thread = abi::__cxa_get_globals();
    HandledExceptions now;
    std::memcpy(&now, of_thread, sizeof(now));
    std::memcpy(of_thread, &exceptions, sizeof(exceptions));
    exceptions = now;
  }

  void SwitchIn(Fiber* fiber, [[maybe_unused]] std::span<std::byte> stack) {
    SwapExceptions();
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&resumer_shadow, stack.data(), stack.size());
#elif defined(__SANITIZE_THREAD__)
    resumer_shadow = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_shadow, 0);
#endif
    own = jump_fcontext(own, fiber).fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(resumer_shadow, nullptr, nullptr);
#endif
    SwapExceptions();
  }

  // The frames of an ended fiber are never left, so the gaps between their variables stay poisoned, in memory that
  // another fiber, or another mapping, gets.
  static void Ended([[maybe_unused]] std::span<std::byte> stack) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack.data(), stack.size());
#endif
  }

  void Arrived(fcontext_t from) {
    resumer = from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(own_shadow, &resumer_bottom, &resumer_size);
#endif
  }

  void SwitchOut([[maybe_unused]] bool for_good) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &own_shadow, resumer_bottom, resumer_size);
#elif defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(resumer_shadow, 0);
#endif
    Arrived(jump_fcontext(resumer, nullptr).fctx);
  }
};

Fiber::Fiber(FiberStack stack, std::function<void()>&& body)
    : context_(std::make_unique<Context>()), stack_(std::move(stack)), body_(std::move(body)) {
  const std::span<std::byte> memory = stack_.bytes();
  context_->own = make_fcontext(memory.data() + memory.size(), memory.size(), [](transfer_t from) {
    auto* const self = static_cast<Fiber*>(from.data);
    self->context_->Arrived(from.fctx);
    self->Run();
  });
}

Fiber::~Fiber() = default;

void Fiber::Run() {
  body_();
  body_ = nullptr;
  is_over_ = true;
  context_->SwitchOut(/*for_good=*/true);
}

void Fiber::Resume() {
  assert(current_fiber == nullptr && !is_over_);
  current_fiber = this;
  context_->SwitchIn(this, stack_.bytes());
  current_fiber = nullptr;
  if (is_over_) Context::Ended(stack_.bytes());
}

void Fiber::Suspend() {
  assert(current_fiber != nullptr);
  current_fiber->context_->SwitchOut(/*for_good=*/false);
}

Fiber* Fiber::Current() { return current_fiber; }

FiberStack Fiber::TakeStack() {
  assert(is_over_);
  return std::move(stack_);
}

}  // namespace gcsflux::internal
