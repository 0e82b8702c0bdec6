#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "checkpoints/step_store.h"

namespace gcsflux::internal {

/// Returns kInvalidArgument if a whole step has a higher number.
Result<void> CheckNoneIsNewer(StepStore& store, std::int64_t step);

/// A step that was found damaged when its files were read.
struct DamagedStep {
  std::int64_t step = 0;
  std::int64_t generation = 0;  ///< Of its manifest.
  Error why = {};
};

/// Whether an error in reading a step says that it is gone or that its files are damaged.
bool IsUnusable(const Error& error);

/// The error if the step is gone or its files are damaged. Nothing if it holds something else than was requested, or if
/// its service fails. If the error is kUndecodable, compares all bytes of the step's files with their checksums.
std::optional<Error> WhyUnusable(const StepStore& steps, const CheckpointManifest& step,
                                 const ObjectReaderOptions& reader, const Error& error);

/// The newest whole step, with its tensors, and the newer ones that are not whole.
struct LatestStored {
  StoredStep stored = {};
  std::vector<Step> skipped = {};  ///< As Step::skipped.
};
inline Step LatestOf(LatestStored latest) {
  Step step = StepOf(latest.stored);
  step.skipped = std::move(latest.skipped);
  return step;
}

/// As CheckpointSteps::Latest(), skipping `damaged`. Calls `open`, which may be empty, for a step on another thread, at
/// the same time as the requests for its files, so that reading begins one round trip earlier. The last call is for the
/// step that is returned. If `open` returns kNotFound, kAborted or kCorrupted, the step is skipped. If that last call
/// fails otherwise, returns its error; an exception becomes kLocalIo.
Result<LatestStored> FindLatest(StepStore& store, const std::function<Result<void>(const StoredStep&)>& open,
                                std::span<const DamagedStep> damaged = {});

}  // namespace gcsflux::internal
