#include "http/hash_text.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "base/base64.h"

namespace gcsflux::emulator {

std::string EncodeCrc32c(std::uint32_t crc32c) {
  const std::array bytes = {std::byte(crc32c >> 24), std::byte(crc32c >> 16), std::byte(crc32c >> 8),
                            std::byte(crc32c)};
  return EncodeBase64(bytes);
}

std::optional<std::uint32_t> DecodeCrc32c(std::string_view text) {
  const std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes || bytes->size() != 4) return std::nullopt;
  std::uint32_t crc32c = 0;
  for (const char c : *bytes) crc32c = crc32c << 8 | static_cast<unsigned char>(c);
  return crc32c;
}

std::string EncodeMd5(const Md5Digest& digest) { return EncodeBase64(digest); }

std::optional<Md5Digest> DecodeMd5(std::string_view text) {
  const std::optional<std::string> bytes = DecodeBase64(text);
  Md5Digest digest{};
  if (!bytes || bytes->size() != digest.size()) return std::nullopt;
  std::memcpy(digest.data(), bytes->data(), digest.size());
  return digest;
}

}  // namespace gcsflux::emulator
