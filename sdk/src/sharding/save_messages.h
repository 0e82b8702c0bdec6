#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/latest_step.h"
#include "gcsflux/checkpoints/saves.h"
#include "sharding/save_plan.h"

// The messages between rank 0 and the others in a save and a load. Each is a value or an error, as bytes.
namespace gcsflux::internal {

std::string FormatFailure(const Error& error);

/// What a rank must write. If `name` is empty, it writes no file.
struct SaveOrder {
  std::string name = {};  ///< Below the run's prefix.
  std::vector<PlannedRows> rows = {};
  std::vector<StepFile> kept = {};  ///< Files of the last step that the new one may name.
};
std::string FormatOrder(const SaveOrder& order);
Result<SaveOrder> ParseOrder(std::string_view bytes);

/// What a rank has: its tensors, and their files. It has written the first one, if it has written any.
struct ShardReport {
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
};
std::string FormatReport(const ShardReport& report);
Result<ShardReport> ParseReport(std::string_view bytes);

/// The result of the save.
std::string FormatSaved(const SavedStep& saved);
Result<SavedStep> ParseSaved(std::string_view bytes);

/// A step that all ranks load.
struct SharedStep {
  LatestStored step = {};
  std::string values = {};  ///< As of ReadStepValues().
};
std::string FormatStep(const SharedStep& shared);
Result<SharedStep> ParseStep(std::string_view bytes);

}  // namespace gcsflux::internal
