#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gcsflux/emulator/faults.h"

namespace gcsflux::campaign {

/// Of names whose requests always fail.
inline constexpr auto kOutagePrefix = "outage/";

/// Only objects that are always read whole have names with this ending: their reads may be corrupted, because the
/// checksum detects it. Nothing detects it in a range.
inline constexpr auto kCheckedSuffix = "-checked";

/// Every kind of fault of docs/emulator/faults.md, each with some probability, so that most requests succeed.
emulator::FaultPlan MakeFaultMix(std::uint64_t seed);

/// How often each kind fired, by its type: of that plan's counts.
void AddFired(const std::vector<emulator::FaultCount>& counts, std::map<std::string, std::uint64_t>& by_type);

}  // namespace gcsflux::campaign
