#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

struct ImageShape {
  std::uint32_t channels = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;

  [[nodiscard]] std::size_t plane() const { return std::size_t{height} * width; }
  [[nodiscard]] std::size_t bytes() const { return channels * plane(); }
};

struct DecodeSettings {
  std::uint32_t channels = 3;  ///< 1, 3 (colours) or 4 (and alpha).
  std::uint32_t min_height = 0;
  std::uint32_t min_width = 0;
  bool may_scale = false;  ///< A smaller image may be decoded, of at least that size.
  std::uint64_t max_pixels = 0;
};

/// A file whose header was read. For one thread.
class ImageDecoder {
 public:
  ImageDecoder(const ImageDecoder&) = delete;
  ImageDecoder& operator=(const ImageDecoder&) = delete;
  virtual ~ImageDecoder() = default;

  /// Of what Decode() writes.
  [[nodiscard]] virtual ImageShape shape() const = 0;
  /// Writes shape().bytes() bytes: one plane for each channel, row after row. Call it once. After an error the bytes
  /// have no defined content.
  virtual Result<void> Decode(std::uint8_t* planes) = 0;

 protected:
  ImageDecoder() = default;
};

/// Reads the header, and takes no memory for pixels. Returns kUndecodable, with the name, if the image cannot be
/// decoded or is too large. The bytes must outlive the decoder.
Result<std::unique_ptr<ImageDecoder>> OpenImage(std::string_view name, std::span<const std::byte> bytes,
                                                const DecodeSettings& settings);

// One for each format.

using OpenedImage = Result<std::unique_ptr<ImageDecoder>>;
OpenedImage OpenJpeg(std::string_view name, std::span<const std::byte> bytes, const DecodeSettings& settings);
OpenedImage OpenPng(std::string_view name, std::span<const std::byte> bytes, const DecodeSettings& settings);

/// kUndecodable: "NAME: WHAT".
Error Undecodable(std::string_view name, std::string_view what);
/// kUndecodable if the header's size is above the limit.
Result<void> CheckPixels(std::string_view name, std::uint64_t height, std::uint64_t width,
                         const DecodeSettings& settings);

}  // namespace gcsflux::internal
