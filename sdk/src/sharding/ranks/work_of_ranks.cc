#include "sharding/ranks/work_of_ranks.h"

#include <algorithm>
#include <condition_variable>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/either_stop.h"
#include "base/leaf_stop_callback.h"
#include "base/message.h"
#include "base/process/mutex.h"
#include "base/process/no_time_limit.h"
#include "base/process/start_thread.h"
#include "base/stop_after.h"
#include "checkpoints/stop_requests.h"
#include "sharding/ranks/caught.h"

namespace gcsflux::internal {
namespace {

using Clock = std::chrono::steady_clock;

/// What a rank tells the others.
struct RankStatus {
  std::uint64_t moved = 0;
  bool is_done = false;
  bool sees_standstill = false;
  std::optional<Error> error = {};
};

template <SameAs<RankStatus> Self>
auto FieldsOf(Self& status) {
  return std::tie(status.moved, status.is_done, status.sees_standstill, status.error);
}

/// The work, on a thread of its own.
class RunningWork {
 public:
  RunningWork(const WorkOfRank& work, const std::stop_token& caller)
      : work_(work), forward_(caller, [this] { stop_.request_stop(); }) {}
  ~RunningWork() { Stop(); }

  Result<void> Start() {
    auto started = StartThread([this] { Run(); });
    if (!started) return started.error();
    thread_ = *std::move(started);
    return {};
  }
  void Stop() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  // Waits for the end of the work, but not longer than `longest`.
  RankStatus Wait(std::chrono::milliseconds longest) {
    MutexLock lock(mutex_);
    changed_.wait_for(lock, longest, [&]() REQUIRES(mutex_) { return outcome_.has_value(); });
    RankStatus status{.moved = moved_, .is_done = outcome_ && outcome_->ok()};
    if (outcome_ && !outcome_->ok()) status.error = outcome_->error();
    return status;
  }

 private:
  void Run() {
    Result<void> outcome;
    const auto done = Caught([&] { return outcome = work_(moved_, stop_.get_token()), true; });
    if (!done) outcome = done.error();
    const MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    changed_.notify_all();
  }

  const WorkOfRank& work_;
  std::stop_source stop_;
  std::atomic<std::uint64_t> moved_ = 0;
  Mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<void>> outcome_ GUARDED_BY(mutex_);
  std::jthread thread_;
  LeafStopCallback<std::function<void()>> forward_;
};

// The outcome of the work, which is the same on all ranks because their statuses are the same. Nothing while the work
// continues.
std::optional<Result<void>> Judge(const MessageGroup& group, const std::vector<RankStatus>& ranks,
                                  std::chrono::milliseconds deadline) {
  std::string not_ready;
  bool is_standstill = false;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::string label = group.Label(static_cast<int>(rank));
    if (ranks[rank].error) return Error{ranks[rank].error->code, label + ": " + ranks[rank].error->message};
    if (!ranks[rank].is_done) not_ready += (not_ready.empty() ? "" : ", ") + label;
    is_standstill = is_standstill || ranks[rank].sees_standstill;
  }
  if (not_ready.empty()) return Result<void>();
  if (!is_standstill) return std::nullopt;
  return Error{ErrorCode::kUnavailable, "no byte moved on any rank for " + std::to_string(deadline.count()) +
                                            " ms, and these are not ready: " + not_ready +
                                            "; check their network, or raise CheckpointRunOptions::group_deadline"};
}

}  // namespace

Result<void> WorkOnAllRanks(MessageGroup& group, std::chrono::milliseconds deadline, const WorkOfRank& work,
                            const std::stop_token& stop, const std::function<std::uint64_t()>& moved_too) {
  const StopAfter broken(stop, PatienceAfterStop(deadline));
  const auto pace = std::clamp(deadline / 8, std::chrono::milliseconds(1), std::chrono::milliseconds(250));
  RunningWork running(work, stop);
  const auto started = running.Start();
  std::uint64_t moved_before = 0;
  Clock::time_point last_movement = Clock::now();
  while (true) {
    RankStatus own = running.Wait(started ? pace : std::chrono::milliseconds(0));
    if (!started) own.error = started.error();
    // This holds even if this rank has done its part. Otherwise the others would continue, and it could only break the
    // group.
    if (stop.stop_requested() && !own.error) own.error = Error{ErrorCode::kCancelled, "was cancelled"};
    if (moved_too) own.moved += moved_too();
    own.sees_standstill = Clock::now() - last_movement >= InNanoseconds(deadline);
    const auto told = group.AllGather(MessageWriter().Put(own).Take(),
                                      {.deadline = deadline, .stop = broken.token(), .since = last_movement});
    if (!told) return told.error();
    std::vector<RankStatus> ranks;
    std::uint64_t moved = 0;
    for (const std::string& one : *told) {
      MessageReader(one).Take(ranks.emplace_back());
      moved += ranks.back().moved + (ranks.back().is_done ? 1 : 0);
    }
    if (auto verdict = Judge(group, ranks, deadline)) return *std::move(verdict);
    if (moved == moved_before) continue;
    moved_before = moved;
    last_movement = Clock::now();
  }
}

std::chrono::milliseconds PatienceAfterStop(std::chrono::milliseconds deadline) {
  return std::min(deadline, std::chrono::milliseconds(2000));
}

Result<void> WorkOnRank0(MessageGroup& group, std::chrono::milliseconds deadline, StepStore& steps,
                         const WorkOfRank0& work, const std::stop_token& stop) {
  const WorkOfRank only_on_0 = [&](std::atomic<std::uint64_t>& moved, const std::stop_token& asked) -> Result<void> {
    if (group.rank() != 0) return {};
    const EitherStop either(asked, steps.stop());
    const StopRequests requests(steps, either.token());
    work(moved);
    return {};
  };
  return WorkOnAllRanks(group, deadline, only_on_0, stop, [&] { return steps.answered(); });
}

}  // namespace gcsflux::internal
