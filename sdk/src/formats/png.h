#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gcsflux::internal {

/// An image of 8 bits for each channel, as PNG. `pixels` has a plane of height x width bytes for each channel: 1 grey,
/// 2 grey and alpha, 3 RGB, 4 RGB and alpha.
std::string EncodePng(std::span<const std::uint8_t> pixels, std::uint32_t height, std::uint32_t width, int channels);

}  // namespace gcsflux::internal
