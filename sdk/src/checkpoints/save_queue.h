#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "checkpoints/snapshot.h"
#include "gcsflux/checkpoints/async_save.h"

namespace gcsflux::internal {

/// A save that a caller requests.
struct SaveRequest {
  std::int64_t step = 0;
  StateContents contents = {};
  std::shared_ptr<const void> owner = {};  ///< Keeps the memory of `contents` alive. Released when the copy is made.
  /// Stores a copy of the contents. Called on another thread, for one save at a time, in their order.
  std::function<Result<SavedStep>(const StateContents& snapshot, const std::stop_token& stop)> commit = {};
  /// If it is set, it is called in place of `commit` if the save cannot be made: on the same thread, in the same order.
  /// For saves that other processes wait for. Returns the outcome.
  std::function<Error(const Error& why, const std::stop_token& stop)> give_up = {};
  /// With `give_up`: why the caller cannot make the save. Then `contents` and `commit` are not used.
  std::optional<Error> why_not = {};
  /// With `give_up`: the number of this save, from 1, which is the same in all processes.
  std::uint64_t number = 0;
};

/// One save, from the request until the caller knows its outcome. Thread-safe.
class SaveInFlight {
 public:
  explicit SaveInFlight(SaveRequest request) : number_(request.number), request_(std::move(request)) {}

  void WaitStaged();
  [[nodiscard]] bool is_staged();
  Result<SavedStep> WaitDone();
  void WaitEnded();
  [[nodiscard]] bool is_done();

 private:
  friend class SaveQueue;
  Result<void> Copy(SnapshotPool& pool, std::size_t threads);
  Result<SavedStep> Commit(const std::stop_token& stop);
  /// Whether the others are told in its turn that the save is not made.
  bool GivesUp(const Error& why);
  /// The caller knows that it failed.
  void SetReported();
  void Finish(Result<SavedStep> outcome, SnapshotPool& pool);
  /// The failure, unless WaitDone() has returned it.
  std::optional<Error> TakeUnreported();
  /// It has succeeded, or WaitDone() has returned its failure.
  [[nodiscard]] bool is_settled();

  const std::uint64_t number_;
  SaveRequest request_;  // For the queue's threads, one after the other; so are the next three.
  SnapshotMemory memory_;
  StateContents snapshot_;
  std::optional<Error> why_not_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_staged_ = false;  // Guarded by mutex_; so are the next two.
  bool was_reported_ = false;
  std::optional<Result<SavedStep>> outcome_;
};

/// Copies states and stores the copies, on threads of its own. Thread-safe.
class SaveQueue {
 public:
  /// kLocalIo if the system starts no thread; kInvalidArgument.
  static Result<std::unique_ptr<SaveQueue>> Create(AsyncSaveOptions options);
  /// Waits or cancels, as the options say.
  ~SaveQueue();
  SaveQueue(const SaveQueue&) = delete;
  SaveQueue& operator=(const SaveQueue&) = delete;

  /// If earlier saves failed and no caller has their errors yet, returns these as one error and does not begin this
  /// save. With `give_up` it begins the save nevertheless, and has copied the state when it returns: other processes
  /// may have returned these errors before, and do their parts. It then looks at those saves alone that have ended in
  /// all processes: max_in_flight before this one. With `why_not` it waits until the others have been told, and returns
  /// the outcome behind these errors.
  Result<PendingSave> Submit(SaveRequest request);
  /// Waits until no save is in flight, and no `give_up` is to be called.
  void WaitIdle();

 private:
  using Save = std::shared_ptr<SaveInFlight>;

  explicit SaveQueue(AsyncSaveOptions options) : options_(std::move(options)) {}
  /// With the lock. The failures up to this save that no caller has.
  std::optional<Error> TakeFailures(std::uint64_t number);
  void Report(const Error& failure) const;
  Result<void> MakeRoom(std::unique_lock<std::mutex>& lock, bool others_wait);
  Result<void> CopyNow(const Save& save);
  /// The newest save that is not being sent; null if there is none.
  Save TakeNewestWaiting();
  void CopyLoop(const std::stop_token& stop);
  void SendLoop(const std::stop_token& stop);
  void End(const Save& save, Result<SavedStep> outcome);

  const AsyncSaveOptions options_;
  SnapshotPool pool_;
  std::stop_source cancel_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Save> to_copy_;  // Guarded by mutex_; so are the next three.
  std::deque<Save> to_send_;
  std::vector<Save> failed_;  // And saves that end just now.
  std::size_t in_flight_ = 0;
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
