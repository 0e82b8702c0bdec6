#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/process/mutex.h"
#include "checkpoints/step_store.h"

// The object "latest" of a run: the number of the step that was committed last. It makes the listing of all steps
// unnecessary. It is never trusted: it may be missing, old or wrong. Only manifests say which steps exist.
namespace gcsflux::internal {

/// The hint's step. Nothing if there is no valid hint.
std::optional<std::int64_t> ReadHint(const StepStore& store);

/// Updates the hint. Failures are ignored. Thread-safe.
class HintWriter {
 public:
  /// Call it when a step was committed; `committed` is the service's time. The service allows one change of an object
  /// in a second, so within a second of the last change the hint is not changed. Makes one attempt, and another one if
  /// the hint is of an earlier run or another thread. Stops for good if the caller may not write it, or another object
  /// has this name.
  void Tell(const StepStore& store, std::int64_t step, std::chrono::system_clock::time_point committed);

 private:
  Result<ObjectMetadata> Put(const StepStore& store, std::int64_t step, std::int64_t replaced) const;
  void Learn(const Result<ObjectMetadata>& put);

  Mutex mutex_;
  std::int64_t generation_ GUARDED_BY(mutex_) = 0;  // Of the hint; 0 if it is not known.
  std::optional<std::chrono::system_clock::time_point> written_ GUARDED_BY(mutex_);
  bool gives_up_ GUARDED_BY(mutex_) = false;
};

}  // namespace gcsflux::internal
