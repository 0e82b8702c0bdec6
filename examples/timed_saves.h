#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/torch/checkpoint_run.h"

namespace examples {

/// How a training saves its steps.
enum class SaveWay {
  kSync,   ///< CheckpointRun::Save(): the training stands still until the step is committed.
  kEager,  ///< SaveAsync() after the state is copied.
  kLazy,   ///< SaveAsync() at once: the copy goes on beside the next forward and backward pass.
};

/// "sync", "eager" or "lazy".
std::optional<SaveWay> ParseSaveWay(std::string_view text);

/// How long saves kept a training from its next step.
struct BlockedTime {
  int saves = 0;
  double seconds = 0;
  /// The part of the first save, which makes the prefix this run's and takes the memory for copies.
  double first_seconds = 0;
};

/// What came of a save.
struct FinishedSave {
  std::int64_t step = 0;
  std::optional<gcsflux::Error> error = {};  ///< kCancelled where a newer save took its place.
};

/// The checkpoints of a training, with the time that saves block it. Throws StorageError. For one thread.
class TimedSaves {
 public:
  TimedSaves(const gcsflux::Client& client, const std::string& uri, gcsflux::CheckpointRunOptions options, SaveWay way);

  [[nodiscard]] gcsflux::CheckpointRun& run() { return *run_; }
  [[nodiscard]] const BlockedTime& blocked() const { return blocked_; }

  /// Saves the state as this step.
  void Save(std::int64_t step, const gcsflux::RunState& state, const gcsflux::SaveOptions& options = {});
  /// Call it before each change of the state. It waits until the state is copied.
  void AwaitCopy();

  /// The saves that have finished since the last call, in their order. Waits for nothing.
  std::vector<FinishedSave> TakeFinished();
  /// Ends the run: waits for the saves in flight, at most as long as AsyncSaveOptions::end_deadline, and returns what
  /// TakeFinished() has not returned. Call it last.
  std::vector<FinishedSave> Finish();

 private:
  struct Pending {
    std::int64_t step = 0;
    std::optional<gcsflux::PendingSave> save = {};  ///< Absent where the save is committed.
  };
  FinishedSave TakeFirst();

  SaveWay way_;
  std::optional<gcsflux::CheckpointRun> run_;
  std::deque<Pending> pending_;
  BlockedTime blocked_;
};

}  // namespace examples
