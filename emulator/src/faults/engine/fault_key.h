#pragma once

#include <cstdint>
#include <string_view>

#include "gcsflux/emulator/faults.h"
#include "interventions/request_preview.h"

namespace gcsflux::emulator {

/// Of a request, but for its arrival.
FaultKey KeyOf(const RequestPreview& preview);

/// Of all but the arrival.
std::uint64_t HashKey(const FaultKey& key);

/// 0 up to but not 1, evenly: a function of these alone, so that it does not matter what other threads do.
double Chance(std::uint64_t seed, std::string_view rule, const FaultKey& key);

}  // namespace gcsflux::emulator
