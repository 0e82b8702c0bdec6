#pragma once

#include <cstddef>
#include <vector>

#include "gcsflux/emulator/faults.h"

namespace gcsflux::emulator {

/// The plan with a name for each rule. Throws PlanError if anything is wrong with it.
FaultPlan CheckPlan(FaultPlan plan);

/// The rule, named, as it will follow `others`. Throws likewise.
FaultRule CheckRule(FaultRule rule, const std::vector<FaultRule>& others);

}  // namespace gcsflux::emulator
