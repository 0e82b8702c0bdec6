#pragma once

#include <span>

#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {

/// Reads with `read_all`, or if it is absent with read_at for each.
Result<void> ReadAll(const ByteSource& source, std::span<const RangeRead> reads);

/// ReadAll(), and the checksum of each read's bytes.
Result<ReadSums> ReadAllSummed(const ByteSource& source, std::span<const RangeRead> reads, Checksum kind);

/// Gives [range.begin, range.end) of a source to `sink`, in order, in chunks of at most 32 MiB.
Result<void> StreamRange(const ByteSource& source, FileRange range, const ByteSink& sink);

}  // namespace gcsflux::internal
