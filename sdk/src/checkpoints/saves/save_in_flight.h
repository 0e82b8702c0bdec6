#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/process/mutex.h"
#include "checkpoints/saves/snapshot.h"
#include "gcsflux/checkpoints/saves.h"

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

  Mutex mutex_;
  std::condition_variable changed_;
  bool is_staged_ GUARDED_BY(mutex_) = false;
  bool was_reported_ GUARDED_BY(mutex_) = false;
  std::optional<Result<SavedStep>> outcome_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
