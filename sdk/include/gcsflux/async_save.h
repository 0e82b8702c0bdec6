#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "gcsflux/step_writer.h"

// Saves that go on beside the training: docs/checkpoints.md.
namespace gcsflux {

namespace internal {
class SaveInFlight;
}  // namespace internal

/// When a save copies the state.
enum class SnapshotMode {
  kEager,  ///< Before the call returns: the state may change at once.
  kLazy,   ///< Behind the caller's back: the state may change once staged() has returned.
};

/// What happens to a save while as many as are allowed are in flight.
enum class WhenBusy {
  kWait,     ///< It waits until one is done.
  kRefuse,   ///< kUnavailable.
  kReplace,  ///< It takes the place of the newest one that is not being sent yet; where all are, it waits.
};

/// What happens at the end to saves that are in flight.
enum class AtEnd { kWait, kCancel };

struct AsyncSaveOptions {
  SnapshotMode mode = SnapshotMode::kEager;
  WhenBusy when_busy = WhenBusy::kWait;
  /// Saves that are copied and not committed yet, at most; each has memory for a copy of the state. At least 1.
  std::size_t max_in_flight = 1;
  /// Threads that copy. Raise it while memory has more bandwidth than one thread takes.
  std::size_t copy_threads = 2;
  AtEnd at_end = AtEnd::kWait;
  /// After so long at the end, what is still in flight is cancelled.
  std::chrono::milliseconds end_deadline = std::chrono::minutes(5);
  /// Told at the end of a failure that no committed() and no later save has returned. Unset, it goes to stderr.
  std::function<void(const Error&)> on_unreported = {};
};

/// A save that is under way. A handle; thread-safe. It may outlive what made it.
class PendingSave {
 public:
  /// Waits until the state is copied: it may change then, and be freed.
  void WaitStaged() const;
  [[nodiscard]] bool is_staged() const;

  /// Waits until the step is committed, or has failed. kCancelled where another save took its place.
  [[nodiscard]] Result<SavedStep> WaitCommitted() const;
  [[nodiscard]] bool is_done() const;
  /// Waits for the same, and leaves it to WaitCommitted() to report a failure.
  void WaitEnded() const;

  explicit PendingSave(std::shared_ptr<internal::SaveInFlight> save);  ///< For the library.

 private:
  std::shared_ptr<internal::SaveInFlight> save_;
};

}  // namespace gcsflux
