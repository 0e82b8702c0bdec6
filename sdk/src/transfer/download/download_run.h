#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/process/mutex.h"
#include "loop/request_slots.h"
#include "transfer/download/group.h"

namespace gcsflux::internal {

/// The outcome of a group.
struct FinishedGroup {
  const GroupPlan& plan;
  std::span<Destination> destinations;
  std::vector<std::optional<Error>>& errors;  ///< As in GroupOutcome; may be moved from.
  std::chrono::nanoseconds took;              ///< Since it was begun.
};

/// Receives the results of a download.
class Recipient {
 public:
  virtual ~Recipient() = default;
  /// Whether this group may be fetched now. If not, DownloadRun::OnAdmitted() is called when it may. Called under the
  /// run's lock.
  virtual bool Admit(const GroupPlan& group) = 0;
  /// A destination for each source of the group. The thread that begins the group calls it, without a lock.
  virtual Result<std::vector<Destination>> DestinationsOf(const GroupPlan& group) = 0;
  /// The group is finished. Any thread calls it, without a lock.
  virtual void OnGroup(const FinishedGroup& group) = 0;
  /// The download has failed as a whole, mostly because there is no memory for its bookkeeping. What is not reported
  /// yet may never be. Any thread calls it, without a lock, and more than one may.
  virtual void OnRunFailed(const Error& error) noexcept = 0;
};

/// Takes the sources of one download through the steps in group.h. Thread-safe.
class DownloadRun : public TaskSource, public std::enable_shared_from_this<DownloadRun> {
 public:
  /// For `count` sources, or for as many as the method finds. The recipient is used until Wait() has returned after
  /// Stop(), or until everything is finished.
  DownloadRun(std::weak_ptr<RequestSlots> slots, FetchMethod method, std::size_t count, Recipient& recipient)
      : slots_(std::move(slots)), method_(std::move(method)), recipient_(recipient), count_(count) {}

  /// Makes the request slots start, or look for work again.
  void Offer();
  /// The group that waited may begin. Can be called at any time.
  void OnAdmitted();
  /// Begins no more groups. Those in progress continue.
  void BeginNoMore();
  /// The same, and asks running groups to stop.
  void Stop();
  /// Waits until nothing runs, and nothing can begin any more.
  void Wait();

  std::function<void()> Take() override;

 private:
  struct Group {
    GroupPlan plan;
    std::chrono::steady_clock::time_point begun = {};
    std::vector<Destination> destinations = {};
    std::unique_ptr<GroupFetch> fetch = {};
    std::size_t next_range = 0;         // Guarded by mutex_.
    std::size_t running = 0;            // Guarded by mutex_.
    std::optional<Error> failure = {};  // Guarded by mutex_.
  };

  std::function<void()> TakeOne();
  template <class Task>
  void Run(const Task& task);
  void Begin(const std::shared_ptr<Group>& group);
  void FetchRange(const std::shared_ptr<Group>& group, std::size_t range);
  void EndRange(const std::shared_ptr<Group>& group, const Result<void>& fetched);
  void EndTask();
  void Fail(const Error& error);
  bool IsOver(const std::shared_ptr<Group>& group, const Result<void>& fetched);
  void Finish(const std::shared_ptr<Group>& group);
  [[nodiscard]] bool MayBegin() const REQUIRES(mutex_) { return !begins_no_more_ && next_ < count_; }
  [[nodiscard]] bool IsIdle() const REQUIRES(mutex_) { return running_ == 0 && with_ranges_.empty() && !MayBegin(); }

  const std::weak_ptr<RequestSlots> slots_;
  const FetchMethod method_;
  Recipient& recipient_;
  std::stop_source stop_;

  Mutex mutex_;
  std::condition_variable idle_;
  std::size_t count_ GUARDED_BY(mutex_);
  std::size_t next_ GUARDED_BY(mutex_) = 0;  // the first source of the next group
  bool begins_no_more_ GUARDED_BY(mutex_) = false;
  std::optional<GroupPlan> planned_ GUARDED_BY(mutex_);  // planned and not yet begun
  enum class Admission {
    kNotAsked,
    kWaits,
    kGiven
  } admission_ GUARDED_BY(mutex_) = Admission::kNotAsked;              // of the planned group
  std::deque<std::shared_ptr<Group>> with_ranges_ GUARDED_BY(mutex_);  // begun, with ranges that are not begun
  std::size_t running_ GUARDED_BY(mutex_) = 0;                         // tasks
};

}  // namespace gcsflux::internal
