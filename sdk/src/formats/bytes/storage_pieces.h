#pragma once

#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {

/// Gives [range.begin, range.end) of a source to `sink`, in order, in pieces of at most 32 MiB.
Result<void> StreamRange(const ByteSource& source, FileRange range, const ByteSink& sink);

}  // namespace gcsflux::internal
