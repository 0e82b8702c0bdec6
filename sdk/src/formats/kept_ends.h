#pragma once

#include <cstdint>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// How much of a file is read before its format is known.
struct EndBytes {
  std::uint64_t head = 256 << 10;  ///< Holds most headers of safetensors, and most pickles.
  std::uint64_t tail = 256 << 10;  ///< Holds the directory of some 2,000 records.
};

/// Reads both ends of a source by one ReadAll(). The source that it returns answers from them what lies within them,
/// and holds them as long as it lives.
Result<ByteSource> WithKeptEnds(ByteSource source, EndBytes ends = {});

}  // namespace gcsflux::internal
