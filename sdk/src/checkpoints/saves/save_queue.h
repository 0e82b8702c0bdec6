#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/process/mutex.h"
#include "checkpoints/saves/save_in_flight.h"
#include "checkpoints/saves/snapshot.h"
#include "gcsflux/checkpoints/saves.h"

namespace gcsflux::internal {

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
  /// Returns the failures up to this save that no caller has.
  std::optional<Error> TakeFailures(std::uint64_t number) REQUIRES(mutex_);
  void Report(const Error& failure) const;
  Result<void> WaitForCapacity(MutexLock<Mutex>& lock, bool others_wait) REQUIRES(mutex_, lock);
  Result<void> CopyNow(const Save& save);
  /// The newest save that is not being sent; null if there is none.
  Save TakeNewestWaiting() REQUIRES(mutex_);
  void CopyLoop(const std::stop_token& stop);
  void SendLoop(const std::stop_token& stop);
  void End(const Save& save, Result<SavedStep> outcome);

  const AsyncSaveOptions options_;
  SnapshotPool pool_;
  std::stop_source cancel_;

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Save> to_copy_ GUARDED_BY(mutex_);
  std::deque<Save> to_send_ GUARDED_BY(mutex_);
  std::vector<Save> failed_ GUARDED_BY(mutex_);  // Also saves that are ending.
  std::size_t in_flight_ GUARDED_BY(mutex_) = 0;
  std::vector<std::jthread> threads_;  // Last: they end before the members that they use.
};

}  // namespace gcsflux::internal
