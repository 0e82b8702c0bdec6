#include "loop/fiber.h"

#include <cxxabi.h>
#include <ucontext.h>

#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace gcsflux::internal {
namespace {

constinit thread_local Fiber* current_fiber = nullptr;

}  // namespace

// Sanitizers keep a shadow of each stack, and must be told of every switch.
struct Fiber::Context {
  // The C++ runtime keeps the exceptions in progress for each thread, although they belong to a stack (Itanium C++ ABI,
  // 2.2.2): a pointer and a count.
  struct HandledExceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  ucontext_t own = {};
  ucontext_t resumer = {};
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

  void SwitchIn([[maybe_unused]] std::span<std::byte> stack) {
    SwapExceptions();
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&resumer_shadow, stack.data(), stack.size());
#elif defined(__SANITIZE_THREAD__)
    resumer_shadow = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_shadow, 0);
#endif
    swapcontext(&resumer, &own);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(resumer_shadow, nullptr, nullptr);
#endif
    SwapExceptions();
  }

  void Arrived() {
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
    swapcontext(&own, &resumer);
    Arrived();
  }
};

Fiber::Fiber(FiberStack stack, std::function<void()>&& body)
    : context_(std::make_unique<Context>()), stack_(std::move(stack)), body_(std::move(body)) {
  getcontext(&context_->own);
  const std::span<std::byte> memory = stack_.bytes();
  context_->own.uc_stack.ss_sp = memory.data();
  context_->own.uc_stack.ss_size = memory.size();
  context_->own.uc_link = nullptr;
  // makecontext() passes only ints.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_->own, reinterpret_cast<void (*)()>(&Fiber::Run), 2, static_cast<unsigned>(self >> 32U),
              static_cast<unsigned>(self));
}

Fiber::~Fiber() = default;

void Fiber::Run(unsigned high, unsigned low) {
  const auto address = (static_cast<std::uintptr_t>(high) << 32U) | low;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): makecontext() passes integers alone.
  auto* const self = reinterpret_cast<Fiber*>(address);
  self->context_->Arrived();
  self->body_();
  self->body_ = nullptr;
  self->is_over_ = true;
  self->context_->SwitchOut(/*for_good=*/true);
}

void Fiber::Resume() {
  assert(current_fiber == nullptr && !is_over_);
  current_fiber = this;
  context_->SwitchIn(stack_.bytes());
  current_fiber = nullptr;
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
