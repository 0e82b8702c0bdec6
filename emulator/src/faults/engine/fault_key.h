#pragma once

#include <cstdint>
#include <string_view>

#include "gcsflux/emulator/faults.h"
#include "middleware/request_preview.h"

namespace gcsflux::emulator {

/// The key of a request, without its arrival.
FaultKey KeyOf(const RequestPreview& preview);

/// A hash of everything but the arrival.
std::uint64_t HashKey(const FaultKey& key);

/// A number from 0 up to, but not including, 1, evenly distributed. It depends on these arguments only, so other
/// threads make no difference.
double Chance(std::uint64_t seed, std::string_view rule, const FaultKey& key);

}  // namespace gcsflux::emulator
