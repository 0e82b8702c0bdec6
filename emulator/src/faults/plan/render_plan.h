#pragma once

#include <string>
#include <vector>

#include "gcsflux/emulator/faults.h"

namespace gcsflux::emulator {

/// {"seed": N, "rules": [...]}, or {"replay": [...]}, and "counters". ParseFaultPlan() can read it.
std::string RenderPlan(const FaultPlan& plan, const std::vector<FaultCount>& counts);

/// {"replay": [...]}
std::string RenderSchedule(const std::vector<FiredFault>& schedule);

}  // namespace gcsflux::emulator
