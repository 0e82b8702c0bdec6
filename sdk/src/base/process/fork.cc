#include "base/process/fork.h"

#include <pthread.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <string>
#include <vector>

#include "base/process/own_descriptors.h"

namespace gcsflux::internal {

constinit std::atomic<std::uint64_t> fork_generation = 0;

namespace {

// How many threads hold a NoFork, and whether a thread is forking. Atomics and not a mutex, so that a child can reset
// them.
constexpr std::uint32_t kForking = 1U << 31;
constinit std::atomic<std::uint32_t> holds = 0;
constinit thread_local int depth = 0;  // of this thread's NoForks; a hold is counted once

constexpr std::size_t kMostHooks = 8;
constinit std::array<std::atomic<void (*)()>, kMostHooks> hooks = {};
constinit std::atomic<std::size_t> hook_count = 0;

void AwaitEndOfFork() {
  for (auto seen = holds.load(); (seen & kForking) != 0; seen = holds.load()) holds.wait(seen);
}

void GiveHold() {
  if (holds.fetch_sub(1, std::memory_order_release) == (kForking | 1U)) holds.notify_all();
}

void TakeHold() {
  while ((holds.fetch_add(1, std::memory_order_acquire) & kForking) != 0) {
    GiveHold();
    AwaitEndOfFork();
  }
}

// The forking thread counts as a holder, for other libraries' handlers that run between these.
void BeforeFork() {
  if (depth++ > 0) GiveHold();
  while ((holds.fetch_or(kForking, std::memory_order_acquire) & kForking) != 0) AwaitEndOfFork();
  for (auto seen = holds.load(std::memory_order_acquire); seen != kForking; seen = holds.load()) holds.wait(seen);
}

void AfterForkInParent() {
  holds.fetch_and(~kForking, std::memory_order_release);
  holds.notify_all();
  if (--depth > 0) TakeHold();
}

void AfterForkInChild() {
  holds.store(0);
  fork_generation.fetch_add(1, std::memory_order_relaxed);
  CloseOwnDescriptorsInChild();
  for (std::size_t i = 0; i < hook_count.load(); ++i) hooks[i].load()();
  if (--depth > 0) TakeHold();
}

// Before main(): no lock is needed, and there is no connection yet.
[[maybe_unused]] const int registered = pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);

}  // namespace

Error ForkedError(const char* what) {
  return {ErrorCode::kForked, std::string("fork(): ") + what + " was begun by the parent process; begin again here"};
}

void NoFork::Enter() {
  if (depth++ == 0) TakeHold();
}

void NoFork::Leave() {
  if (--depth == 0) GiveHold();
}

ForkAllowed::ForkAllowed() : depth_(depth) {
  if (depth_ == 0) return;
  depth = 0;
  GiveHold();
}

ForkAllowed::~ForkAllowed() {
  if (depth_ == 0) return;
  TakeHold();
  depth = depth_;
}

void AtForkInChild(void (*hook)()) {
  const NoFork no_fork;
  const std::size_t index = hook_count.load();
  assert(index < kMostHooks);
  hooks[index] = hook;
  hook_count = index + 1;
}

void KeepForEver(const void* object) {
  const NoFork no_fork;  // Before the first one is made.
  static auto& kept = *new std::vector<const void*>;
  static auto& mutex = *new ForkSafeMutex;
  const std::scoped_lock lock(mutex);
  kept.push_back(object);
}

}  // namespace gcsflux::internal
