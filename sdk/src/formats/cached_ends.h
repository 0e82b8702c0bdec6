#pragma once

#include <cstdint>
#include <string>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// How much of a file is read before its format is known.
struct EndBytes {
  std::uint64_t head = 256 << 10;  ///< Holds most headers of safetensors, and most pickles.
  std::uint64_t tail = 256 << 10;  ///< Holds the directory of some 2,000 records.
};

/// Reads both ends of a source with one ReadAll(). The returned source keeps these bytes as long as it lives, and
/// answers reads within them.
Result<ByteSource> WithCachedEnds(ByteSource source, EndBytes ends = {});

/// The same with the bytes that both ends have. They may meet, but not overlap.
ByteSource WithKnownEnds(ByteSource source, std::string head, std::string tail);

}  // namespace gcsflux::internal
