#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "checkpoints/step_store.h"

// The object "latest" of a run: the number of the step that was committed last. It saves the listing of all steps, and
// is never trusted: it may be missing, old, or wrong. Only manifests say which steps there are.
namespace gcsflux::internal {

/// The hint's step; nothing if there is no hint, or none that makes sense.
std::optional<std::int64_t> ReadHint(const StepStore& store);

/// Keeps the hint up to date, as far as that succeeds. Thread-safe.
class HintWriter {
 public:
  /// A step was committed, at this time by the service's clock. The service allows one change of an object in a second:
  /// within a second of the last change the hint stays as it is. One attempt; after an answer that the caller may not
  /// write it, or an object of that name that is no hint, none.
  void Tell(const StepStore& store, std::int64_t step, std::chrono::system_clock::time_point committed);

 private:
  Result<ObjectMetadata> Put(const StepStore& store, std::int64_t step, std::int64_t replaced) const;
  void Learn(const Result<ObjectMetadata>& put);

  std::mutex mutex_;
  std::int64_t generation_ = 0;  // Of the hint; 0 if it is not known. Guarded by mutex_, as the next two.
  std::optional<std::chrono::system_clock::time_point> written_;
  bool gives_up_ = false;
};

}  // namespace gcsflux::internal
