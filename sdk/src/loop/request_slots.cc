#include "loop/request_slots.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "base/process/mutex.h"
#include "base/process/open_files.h"

namespace gcsflux::internal {
namespace {

// This many are always allowed, for any limit on open files.
constexpr std::size_t kAlwaysAllowed = 16;

Error TooFewDescriptors(std::size_t wanted, std::size_t allowed) {
  return {ErrorCode::kLocalIo, "the limit on open files leaves room for " + std::to_string(allowed) + " of " +
                                   std::to_string(wanted) + " connections: raise it (ulimit -n)"};
}

}  // namespace

RequestSlots::RequestSlots(EventLoops& loops, std::size_t limit) : loops_(loops), shortage_(loops.StartMissing()) {
  SetLimit(limit);
}

RequestSlots::~RequestSlots() {
  MutexLock lock(mutex_);
  idle_.wait(lock, [this]() REQUIRES(mutex_) { return busy_ == 0; });
}

std::size_t RequestSlots::limit() const {
  const MutexLock lock(mutex_);
  return limit_;
}

std::size_t RequestSlots::busy() const {
  const MutexLock lock(mutex_);
  return busy_;
}

std::optional<Error> RequestSlots::shortage() const {
  const MutexLock lock(mutex_);
  return shortage_;
}

void RequestSlots::SetLimit(std::size_t limit) {
  const std::size_t wanted = std::max<std::size_t>(1, limit);
  const bool may_be_too_many = wanted > kAlwaysAllowed;
  const std::size_t allowed = may_be_too_many ? std::max(kAlwaysAllowed, FreeDescriptors(wanted)) : wanted;
  {
    const MutexLock lock(mutex_);
    // Its own connections are already open.
    limit_ = std::min(wanted, may_be_too_many ? allowed + busy_ : allowed);
    if (limit_ < wanted && !shortage_) shortage_ = TooFewDescriptors(wanted, limit_);
  }
  StartAnother();
}

void RequestSlots::Offer(const std::shared_ptr<TaskSource>& source) {
  {
    const MutexLock lock(mutex_);
    queue_.Offer(source);
  }
  StartAnother();
}

// If there is more work, that task starts the next one.
void RequestSlots::StartAnother() {
  {
    const MutexLock lock(mutex_);
    if (!HasCapacity()) return;
    ++busy_;
  }
  try {
    loops_.Spawn([this] { Serve(); });
  } catch (...) {
    const MutexLock lock(mutex_);
    if (--busy_ == 0) idle_.notify_all();
    throw;
  }
}

void RequestSlots::Serve() {
  MutexLock lock(mutex_);
  while (busy_ <= limit_) {
    auto turn = queue_.Next();
    if (!turn.source) break;
    RunOne(lock, std::move(turn));
  }
  // Under the lock, because this object may be destroyed once it is idle.
  if (--busy_ == 0) idle_.notify_all();
}

void RequestSlots::RunOne(MutexLock<Mutex>& lock, TaskSourceQueue::Turn turn) {
  lock.unlock();
  auto task = turn.source->Take();
  if (task) {
    try {
      StartAnother();
    } catch (const std::bad_alloc&) {
      // This one takes the next turn too.
    }
    task();
    task = nullptr;
    turn.source.reset();
    lock.lock();
    return;
  }
  lock.lock();
  queue_.HadNothing(turn);
  lock.unlock();
  turn.source.reset();  // Not under the lock: it may be the last reference.
  lock.lock();
}

}  // namespace gcsflux::internal
