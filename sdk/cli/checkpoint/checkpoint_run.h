#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gcsflux/client.h"

// `checkpoint ls|verify|rm|prune`, of a training run's prefix.
namespace gcsflux::cli {

/// The arguments behind the action: the run's URI, for `rm` also the step.
Result<void> ListRun(const Client& client, const std::vector<std::string>& arguments);
/// Nothing where the prefix has no step.
std::optional<Result<void>> VerifyRun(const Client& client, const std::vector<std::string>& arguments);
Result<void> RemoveStep(const Client& client, const std::vector<std::string>& arguments);
Result<void> PruneRun(const Client& client, const std::vector<std::string>& arguments);

}  // namespace gcsflux::cli
