// Images: a file is refused, or all bytes of its pixels are written, the same ones each time.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "format_input.h"
#include "images/codecs/image_decoder.h"
#include "input.h"

namespace gcsflux::fuzz {
namespace {

using internal::DecodeSettings;

// The pixels, of which none had the value `before`, or nothing.
std::vector<std::uint8_t> Decode(std::span<const std::byte> file, const DecodeSettings& settings, std::uint8_t before) {
  const auto decoder = internal::OpenImage("input", file, settings);
  if (!decoder) {
    RequireRefusal(decoder.error());
    return {};
  }
  const internal::ImageShape shape = (*decoder)->shape();
  Require(shape.channels == settings.channels, "it has the channels that were asked for");
  Require(shape.height > 0 && shape.width > 0 && shape.plane() <= settings.max_pixels, "it is within the limit");
  std::vector<std::uint8_t> planes(shape.bytes(), before);
  const auto decoded = (*decoder)->Decode(planes.data());
  if (decoded) return planes;
  RequireRefusal(decoded.error());
  return {};
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using gcsflux::fuzz::Decode;
  const auto file = std::as_bytes(std::span(data, size));
  for (const std::uint32_t channels : {1U, 3U, 4U}) {
    const gcsflux::internal::DecodeSettings settings{.channels = channels,
                                                     .min_height = static_cast<std::uint32_t>(size % 64),
                                                     .min_width = 1,
                                                     .may_scale = size % 2 == 0,
                                                     .max_pixels = 1 << 14};
    const auto pixels = Decode(file, settings, 0);
    gcsflux::emulator::Require(Decode(file, settings, 0xa5) == pixels, "each byte is written");
  }
  return 0;
}
