#include "images/png_chunks.h"

#include <zlib.h>

#include <cstdint>
#include <span>

namespace gcsflux {
namespace {

std::string Number(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string Chunk(const std::string& name, const std::string& data) {
  const std::string body = name + data;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return Number(static_cast<std::uint32_t>(data.size())) + body + Number(static_cast<std::uint32_t>(crc));
}

std::string Deflated(const std::string& bytes) {
  std::string deflated(compressBound(bytes.size()), '\0');
  uLongf size = deflated.size();
  compress(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           bytes.size());
  deflated.resize(size);
  return deflated;
}

}  // namespace

std::vector<std::byte> PngFile(const PngHeader& header, const std::vector<std::pair<std::string, std::string>>& chunks,
                               const std::string& pixels) {
  std::string file = "\x89PNG\r\n\x1a\n";
  file += Chunk("IHDR", Number(header.width) + Number(header.height) + static_cast<char>(header.depth) +
                            static_cast<char>(header.colours) + std::string(2, '\0') +
                            static_cast<char>(header.is_interlaced));
  for (const auto& [name, data] : chunks) file += Chunk(name, data);
  file += Chunk("IDAT", Deflated(pixels)) + Chunk("IEND", "");
  const auto bytes = std::as_bytes(std::span(file));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gcsflux
