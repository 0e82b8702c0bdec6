#pragma once

#include <span>

#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {

/// ReadAll(), and the checksum of each read's bytes.
Result<ReadSums> ReadAllSummed(const ByteSource& source, std::span<const RangeRead> reads, Checksum kind);

}  // namespace gcsflux::internal
