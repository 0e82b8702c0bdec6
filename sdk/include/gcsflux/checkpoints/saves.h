#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "gcsflux/checkpoints/step.h"
#include "gcsflux/result.h"

// How steps are saved, also beside the training: docs/checkpoints.md. torch/checkpoint_run.h saves them.
namespace gcsflux {

namespace internal {
class SaveInFlight;
}  // namespace internal

/// What a save may replace.
enum class CommitMode {
  kCreate,   ///< Nothing. Returns kAlreadyExists if the step has a manifest.
  kReplace,  ///< The step's manifest, if there is one. Its files are deleted after the new manifest is written.
  /// The same, and all steps with higher numbers are removed after that. Use it to continue a run from an earlier step.
  kRewind,
};

/// The result of a save.
struct SavedStep {
  Step step = {};                        ///< The step as its manifest describes it.
  RemovalReport kept = {};               ///< What the rules removed, and what could not be removed.
  std::optional<Error> keep_error = {};  ///< The step is saved. The others could not be listed, and all of them stay.
};

/// What a save does while `max_in_flight` saves are in flight.
enum class WhenBusy {
  kWait,     ///< It waits until one of them ends.
  kRefuse,   ///< It fails with kUnavailable.
  kReplace,  ///< It replaces the newest save that is not being sent yet. If all are being sent, it waits.
};

/// How CheckpointRun::SaveAsync() saves beside the training.
struct AsyncSaveOptions {
  /// If false, a save copies the state before the call returns, and the state may change after the call. If true, it
  /// copies on another thread, and the state may change after PendingSave::WaitStaged(). Set it if some of the next
  /// step can run before that.
  bool is_lazy = false;
  WhenBusy when_busy = WhenBusy::kWait;  ///< If `max_in_flight` saves are in flight.
  /// The most saves in flight, which are begun and have not ended; at least 1. Each takes memory for a copy of the
  /// state. Raise it if saves sometimes take longer than the time between two saves.
  std::size_t max_in_flight = 1;
  /// Threads that copy. Raise it until the copy becomes no faster.
  std::size_t copy_threads = 2;
  /// At the end of the run, saves that take longer than this are cancelled; 0 cancels them at once. The end then takes
  /// up to 4 s more: an upload removes its parts, and the prefix is released (for a group within
  /// CheckpointRunOptions::group_deadline). Lower it if the machine leaves less time.
  std::chrono::milliseconds end_deadline = std::chrono::minutes(5);
  /// Called at the end for each failure that neither PendingSave::WaitCommitted() nor a later save has returned. If it
  /// is empty or throws, the failure is printed on stderr.
  std::function<void(const Error&)> on_unreported = {};
};

/// A save that is under way. A handle: it may outlive the run. Thread-safe.
class PendingSave {
 public:
  /// Waits until the state is copied. After that the state may change, and be freed.
  void WaitStaged() const;
  [[nodiscard]] bool is_staged() const;  ///< WaitStaged() would return at once.

  /// Waits until the step is committed or has failed. Returns kCancelled if another save replaced it, or if the end of
  /// the run cancelled it.
  [[nodiscard]] Result<SavedStep> WaitCommitted() const;
  [[nodiscard]] bool is_done() const;  ///< WaitCommitted() would return at once.
  /// Waits for the same. If the save has failed, the failure still counts as unreported.
  void WaitEnded() const;

  explicit PendingSave(std::shared_ptr<internal::SaveInFlight> save);  ///< For the library.

 private:
  std::shared_ptr<internal::SaveInFlight> save_;
};

}  // namespace gcsflux
