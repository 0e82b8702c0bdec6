#pragma once

#include <string_view>

#include "gcsflux/checkpoints/step.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// "loss:min", "accuracy:max:3". kInvalidArgument for anything else.
Result<KeepBest> ParseKeepBest(std::string_view text);

/// What `checkpoint prune` was given. kInvalidArgument: no rule at all, which would be an oversight.
Result<KeepRules> KeepRulesFromFlags();

}  // namespace gcsflux::cli
