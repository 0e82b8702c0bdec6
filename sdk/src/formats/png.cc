#include "formats/png.h"

#include <zlib.h>

#include <array>
#include <new>
#include <string_view>

#include "base/crc32.h"

namespace gcsflux::internal {
namespace {

void AppendBigEndian(std::string& file, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(static_cast<unsigned char>(number >> shift));
}

// https://www.w3.org/TR/png-3/#5Chunk-layout
void AppendChunk(std::string& file, const std::string& type, std::string_view content) {
  AppendBigEndian(file, static_cast<std::uint32_t>(content.size()));
  const std::string covered = type + std::string(content);
  file += covered;
  AppendBigEndian(file, ExtendCrc32(0, std::as_bytes(std::span(covered))));
}

// The rows, each after a byte that says that it is not filtered.
std::string Rows(std::span<const std::uint8_t> pixels, std::size_t height, std::size_t width, std::size_t channels) {
  std::string rows;
  rows.reserve(height * (1 + width * channels));
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < channels; ++c) rows += static_cast<char>(pixels[(c * height + y) * width + x]);
    }
  }
  return rows;
}

std::string Deflated(const std::string& bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string deflated(size, '\0');
  const auto* const from = reinterpret_cast<const Bytef*>(bytes.data());
  auto* const to = reinterpret_cast<Bytef*>(deflated.data());
  // It fails for want of memory alone.
  if (::compress2(to, &size, from, static_cast<uLong>(bytes.size()), Z_BEST_SPEED) != Z_OK) throw std::bad_alloc();
  deflated.resize(size);
  return deflated;
}

}  // namespace

std::string EncodePng(std::span<const std::uint8_t> pixels, std::uint32_t height, std::uint32_t width, int channels) {
  constexpr std::array<char, 5> kColourTypes = {0, 0, 4, 2, 6};
  const auto depth = static_cast<std::size_t>(channels);
  std::string header;
  AppendBigEndian(header, width);
  AppendBigEndian(header, height);
  header += {8, kColourTypes[depth], 0, 0, 0};
  std::string file = "\x89PNG\r\n\x1A\n";
  AppendChunk(file, "IHDR", header);
  AppendChunk(file, "IDAT", Deflated(Rows(pixels, height, width, depth)));
  AppendChunk(file, "IEND", "");
  return file;
}

}  // namespace gcsflux::internal
