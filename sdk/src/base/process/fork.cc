#include "base/process/fork.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/process/leaf_section.h"
#include "base/process/own_descriptors.h"
#include "base/process/owner_process.h"

namespace gcsflux::internal {
namespace {

// Holds are counted in many places, since threads that count in one and the same wait for its cache line: 3 % of a
// small read. Atomics and not a mutex, so that a child can reset them.
struct alignas(64) Holds {
  std::atomic<std::uint32_t> count = 0;
};
constexpr std::size_t kPlaces = 64;
constinit std::array<Holds, kPlaces> holds = {};
constinit std::atomic<bool> is_forking = false;
constinit std::atomic<std::size_t> threads = 0;        // that have a place
constinit thread_local std::size_t place_and_one = 0;  // 0: this thread has no place yet
constinit thread_local int depth = 0;                  // of this thread's sections; a hold is counted once

constexpr std::size_t kMostHooks = 8;
constinit std::array<std::atomic<void (*)()>, kMostHooks> hooks = {};
constinit std::atomic<std::size_t> hook_count = 0;

std::atomic<std::uint32_t>& PlaceOfThread() {
  if (place_and_one == 0) place_and_one = threads.fetch_add(1, std::memory_order_relaxed) % kPlaces + 1;
  return holds[place_and_one - 1].count;
}

void AwaitEndOfFork() {
  while (is_forking) is_forking.wait(true);
}

// A thread counts its hold, and then looks whether a thread forks. A forking thread says so, and then looks at the
// counts. All of it is sequentially consistent, so that one of the two sees the other.
void GiveHold() {
  std::atomic<std::uint32_t>& count = PlaceOfThread();
  if (count.fetch_sub(1) == 1 && is_forking) count.notify_all();
}

void TakeHold() {
  std::atomic<std::uint32_t>& count = PlaceOfThread();
  while (true) {
    count.fetch_add(1);
    if (!is_forking) return;
    GiveHold();
    AwaitEndOfFork();
  }
}

// The forking thread counts as a holder, for other libraries' handlers that run between these.
void BeforeFork() {
  if (depth++ > 0) GiveHold();
  while (is_forking.exchange(true)) AwaitEndOfFork();
  for (Holds& place : holds) {
    for (auto seen = place.count.load(); seen != 0; seen = place.count.load()) place.count.wait(seen);
  }
}

void AfterForkInParent() {
  is_forking = false;
  is_forking.notify_all();
  if (--depth > 0) TakeHold();
}

void AfterForkInChild() {
  for (Holds& place : holds) place.count = 0;
  is_forking = false;
  process_generation.fetch_add(1, std::memory_order_relaxed);
  CloseOwnDescriptorsInChild();
  for (std::size_t i = 0; i < hook_count.load(); ++i) hooks[i].load()();
  if (--depth > 0) TakeHold();
}

// Before main(): no lock is needed, and there is no connection yet.
[[maybe_unused]] const int registered = pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);

}  // namespace

void LeafSection::Enter() {
  if (depth++ == 0) TakeHold();
}

void LeafSection::Leave() {
  if (--depth == 0) GiveHold();
}

UserCodeSection::UserCodeSection() : depth_(depth) {
  if (depth_ == 0) return;
  depth = 0;
  GiveHold();
}

UserCodeSection::~UserCodeSection() {
  if (depth_ == 0) return;
  TakeHold();
  depth = depth_;
}

void AtForkInChild(void (*hook)()) {
  const LeafSection leaf;
  const std::size_t index = hook_count.load();
  assert(index < kMostHooks);
  hooks[index] = hook;
  hook_count = index + 1;
}

}  // namespace gcsflux::internal
