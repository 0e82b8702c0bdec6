#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// ReadAll(), and the checksum of each read's bytes.
Result<std::vector<std::uint32_t>> ReadAllSummed(const ByteSource& source, std::span<const RangeRead> reads,
                                                 Checksum kind);

}  // namespace gcsflux::internal
