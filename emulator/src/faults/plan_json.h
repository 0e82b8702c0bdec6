#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/emulator/faults.h"

namespace gcsflux::emulator {

/// {"seed": N, "rules": [...]}, or {"replay": [...]}, and "counters": what ParseFaultPlan() reads.
std::string RenderPlan(const FaultPlan& plan, const std::vector<FaultCount>& counts);

/// {"replay": [...]}
std::string RenderSchedule(const std::vector<FiredFault>& schedule);

/// "1.5s": https://protobuf.dev/reference/protobuf/google.protobuf/#duration
std::string FormatSeconds(std::chrono::nanoseconds time);
/// Nothing where it is none, or longer than 292 years.
std::optional<std::chrono::nanoseconds> ParseSeconds(std::string_view text);

}  // namespace gcsflux::emulator
