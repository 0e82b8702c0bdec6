#include "images/codecs/image_decoder.h"

#include <algorithm>
#include <array>

namespace gcsflux::internal {
namespace {

struct Format {
  std::string_view begin;  // With which each file of the format begins.
  OpenedImage (*open)(std::string_view name, std::span<const std::byte> bytes, const DecodeSettings& settings);
};

constexpr std::array<Format, 2> kFormats = {{
    {"\xff\xd8\xff", &OpenJpeg},
    {"\x89PNG\r\n\x1a\n", &OpenPng},
}};

bool BeginsWith(std::span<const std::byte> bytes, std::string_view begin) {
  return bytes.size() >= begin.size() && std::ranges::equal(bytes.first(begin.size()), std::as_bytes(std::span(begin)));
}

}  // namespace

OpenedImage OpenImage(std::string_view name, std::span<const std::byte> bytes, const DecodeSettings& settings) {
  for (const Format& format : kFormats) {
    if (BeginsWith(bytes, format.begin)) return format.open(name, bytes, settings);
  }
  return Undecodable(name, "neither a JPEG nor a PNG file");
}

Error Undecodable(std::string_view name, std::string_view what) {
  return {ErrorCode::kUndecodable, std::string(name) + ": " + std::string(what)};
}

Result<void> CheckPixels(std::string_view name, std::uint64_t height, std::uint64_t width,
                         const DecodeSettings& settings) {
  if (height * width <= settings.max_pixels) return {};  // Both are below 2^32.
  return Undecodable(name, "an image of " + std::to_string(width) + "x" + std::to_string(height) +
                               " pixels, more than ImageOptions::max_pixels (" + std::to_string(settings.max_pixels) +
                               ")");
}

}  // namespace gcsflux::internal
