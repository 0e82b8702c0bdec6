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
  /// Stores a copy of the contents. Called on another thread, for one save at a time, in the order of the saves.
  std::function<Result<SavedStep>(const StateContents& snapshot, const std::stop_token& stop)> commit = {};
  /// Set it if other processes wait for the save. If the save cannot be made, it is called instead of `commit`, on the
  /// same thread and in the same order. Returns the outcome.
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
  /// True if the others are told, in the order of the saves, that this save is not made.
  bool GivesUp(const Error& why);
  /// Marks the failure as known to the caller.
  void SetReported();
  void Finish(Result<SavedStep> outcome, SnapshotPool& pool);
  /// Returns the failure and marks it as reported. Returns nothing if it was reported before.
  std::optional<Error> TakeUnreported();
  /// True if it has succeeded, or its failure was reported.
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
  /// Returns kLocalIo if the system starts no thread, and kInvalidArgument if max_in_flight is below 1.
  static Result<std::unique_ptr<SaveQueue>> Create(AsyncSaveOptions options);
  /// Waits or cancels, as the options say.
  ~SaveQueue();
  SaveQueue(const SaveQueue&) = delete;
  SaveQueue& operator=(const SaveQueue&) = delete;

  /// If earlier saves failed and no caller has their errors yet, returns these as one error and does not begin this
  /// save.
  /// With `give_up` it begins the save nevertheless, because the other processes do their parts, and may have returned
  /// these errors before. If it returns errors, it has copied the state. It considers only saves that have ended in all
  /// processes: those at least max_in_flight before this one. With `why_not` it waits until the others are told, and
  /// adds the outcome after these errors.
  Result<PendingSave> Submit(SaveRequest request);
  /// Waits until no save is in flight, and no call of `give_up` remains.
  void WaitIdle();

 private:
  using Save = std::shared_ptr<SaveInFlight>;

  explicit SaveQueue(AsyncSaveOptions options) : options_(std::move(options)) {}
  /// Call it with the lock. Returns the failures up to this save that no caller has.
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
  std::vector<Save> failed_;  // Also saves that are ending.
  std::size_t in_flight_ = 0;
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
