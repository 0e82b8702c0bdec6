#pragma once

#include <cstddef>
#include <cstdint>

namespace gcsflux::internal {

/// Pixels of `stride` bytes each, whose first `channels` bytes go to one plane each: 1 of 1, 3 of 3, 3 or 4 of 4.
/// `planes` is where the first pixel goes in the first plane; a plane has `plane` bytes.
struct PixelRow {
  const std::uint8_t* pixels = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;
};
void SplitPixels(const PixelRow& row, std::size_t channels, std::uint8_t* planes, std::size_t plane);

}  // namespace gcsflux::internal
