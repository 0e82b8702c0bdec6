#include "transfer/composition/composite_deletes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/client_core.h"
#include "retry/throttle_cause.h"
#include "retry/transient.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

// https://cloud.google.com/storage/quotas: one change of an object per second.
constexpr std::chrono::milliseconds kMutationInterval{1000};
// A compose whose answer has not come takes effect within about 100 ms, or never.
constexpr std::array<std::chrono::milliseconds, 2> kLooksForLate = {500ms, 1500ms};

std::chrono::milliseconds DelayAfter(int tries) { return 100ms * (1 << std::min(tries, 5)); }

bool IsOfJustMade(const Error& error) {
  return error.code == ErrorCode::kRateLimited && CauseOfThrottling(error) == ThrottleCause::kObjectMutation;
}

// After this many attempts a composite is left to CleanComposites(). A throttled delete has not failed, and may wait
// longer.
bool MayTryAgain(const Error& error, int tries) {
  if (error.code == ErrorCode::kRateLimited) return tries < 50;
  return IsTransient(error) && tries < 6;
}

}  // namespace

void CompositeDeletes::Add(const Composite& composite, DueTasks::Clock::time_point made) {
  const bool is_there = composite.generation.has_value();
  Post({.composite = composite, .made = made}, is_there && waits_first_ ? made + kMutationInterval : made);
}

std::string CompositeDeletes::last_failure() const {
  const MutexLock lock(mutex_);
  return last_failure_;
}

void CompositeDeletes::Post(Pending pending, DueTasks::Clock::time_point due) {
  tasks_->Post(due, [self = shared_from_this(), pending = std::move(pending)](const std::stop_token& stop) mutable {
    self->Try(std::move(pending), stop);
  });
}

void CompositeDeletes::Try(Pending pending, const std::stop_token& stop) {
  const auto start = DueTasks::Clock::now();
  CallOptions call = call_;
  if (!call.retry) call.retry = CoreOf(client_).settings().retry.metadata;
  call.retry->max_attempts = 1;  // Between attempts the thread does other work.
  const auto deleted = DeleteComposite(client_, pending.composite, call, stop);
  const auto now = DueTasks::Clock::now();
  const int tries = pending.tries++;
  const bool may_come_yet = deleted && !*deleted && !pending.composite.generation;
  if (may_come_yet && static_cast<std::size_t>(tries) < kLooksForLate.size()) {
    Post(std::move(pending), now + kLooksForLate[static_cast<std::size_t>(tries)]);
  } else if (deleted) {
    if (*deleted) estimates_.NoteDelete(now - start);
    Forget(pending.composite);
  } else if (stop.stop_requested() || !MayTryAgain(deleted.error(), tries)) {
    GiveUp(deleted.error());
  } else if (IsOfJustMade(deleted.error())) {
    waits_first_ = true;
    const auto due = std::max(now + DelayAfter(0), pending.made + kMutationInterval);
    Post(std::move(pending), due);
  } else {
    Post(std::move(pending), now + DelayAfter(tries));
  }
}

void CompositeDeletes::Forget(const Composite& composite) {
  live_.Remove(composite.object);
  ++deleted_;
}

// It remains in LiveComposites: until the process or the Downloader ends, a signal's clean-up may delete it.
void CompositeDeletes::GiveUp(const Error& error) {
  const MutexLock lock(mutex_);
  last_failure_ = error.message;
}

}  // namespace gcsflux::internal
