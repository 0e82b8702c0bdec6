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

// https://cloud.google.com/storage/quotas: one change of an object a second.
constexpr std::chrono::milliseconds kMutationInterval{1000};
// A compose whose answer is not there comes to be within some 100 ms, or never.
constexpr std::array<std::chrono::milliseconds, 2> kLooksForLate = {500ms, 1500ms};
constexpr int kMostTries = 6;

std::chrono::milliseconds DelayAfter(int tries) { return 100ms * (1 << std::min(tries, 5)); }

bool IsOfJustMade(const Error& error) {
  return error.code == ErrorCode::kRateLimited && CauseOfThrottling(error) == ThrottleCause::kObjectMutation;
}

}  // namespace

void CompositeDeletes::Add(const Composite& composite, DueTasks::Clock::time_point made) {
  const bool is_there = composite.generation.has_value();
  Post({.composite = composite, .made = made}, is_there && waits_first_ ? made + kMutationInterval : made);
}

std::string CompositeDeletes::last_failure() const {
  const std::scoped_lock lock(mutex_);
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
  if (!call.retry) call.retry = client_.core().settings().retry.metadata;
  call.retry->max_attempts = 1;  // Between attempts the thread has other things to do.
  const auto deleted = DeleteComposite(client_, pending.composite, call, stop);
  const auto now = DueTasks::Clock::now();
  const int tries = pending.tries++;
  const bool may_come_yet = deleted && !*deleted && !pending.composite.generation;
  if (may_come_yet && static_cast<std::size_t>(tries) < kLooksForLate.size()) {
    Post(std::move(pending), now + kLooksForLate[static_cast<std::size_t>(tries)]);
  } else if (deleted) {
    if (*deleted) estimates_.NoteDelete(now - start);
    Forget(pending.composite);
  } else if (IsOfJustMade(deleted.error()) && tries < kMostTries) {
    waits_first_ = true;
    Post(std::move(pending), std::max(now + 100ms, pending.made + kMutationInterval));
  } else if (tries < kMostTries && IsTransient(deleted.error()) && !stop.stop_requested()) {
    Post(std::move(pending), now + DelayAfter(tries));
  } else {
    GiveUp(deleted.error());
  }
}

void CompositeDeletes::Forget(const Composite& composite) {
  live_.Remove(composite.object);
  ++deleted_;
}

// It stays among the live ones: until the process ends, or the Downloader does, a signal may yet delete it.
void CompositeDeletes::GiveUp(const Error& error) {
  const std::scoped_lock lock(mutex_);
  last_failure_ = error.message;
}

}  // namespace gcsflux::internal
