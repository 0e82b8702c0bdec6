#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gcsflux/result.h"
#include "images/codecs/image_decoder.h"

namespace gcsflux::internal {

/// A PNG file of pixels whose channels follow each other: 1 (grey), 3 or 4. Returns kInvalidArgument if it cannot be
/// written, for example because a side is too long.
Result<std::vector<std::byte>> WritePng(const std::uint8_t* pixels, const ImageShape& shape);

}  // namespace gcsflux::internal
