#include "xml_api/xml_etag.h"

#include <charconv>
#include <cstddef>

#include "api/object_etag.h"

namespace gcsflux::emulator {

std::string Md5Etag(const Body& body) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string etag = "\"";
  for (const std::byte byte : body.md5()) {
    const auto value = std::to_integer<std::size_t>(byte);
    etag += {kHex[value >> 4], kHex[value & 15]};
  }
  return etag + '"';
}

std::string XmlEtag(const Object& object) {
  const bool shows_md5 = HasMd5(object) && CustomerKeySha256(object).empty();
  return shows_md5 ? Md5Etag(*object.body) : "\"-" + ObjectEtag(object) + '"';
}

std::optional<Md5Digest> ParseMd5Etag(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
  Md5Digest digest{};
  if (etag.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const char* const first = etag.data() + 2 * i;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(first, first + 2, value, 16);
    if (error != std::errc() || end != first + 2) return std::nullopt;
    digest[i] = static_cast<std::byte>(value);
  }
  return digest;
}

}  // namespace gcsflux::emulator
