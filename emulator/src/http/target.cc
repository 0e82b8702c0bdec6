#include "http/target.h"

#include <algorithm>

#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

ApiResult<std::string> Decode(std::string_view text, bool plus_is_space) {
  std::optional<std::string> decoded = PercentDecode(text, plus_is_space);
  if (!decoded) return tl::unexpected(BadRequest("Malformed percent-encoding in the request's target."));
  if (!IsUtf8(*decoded)) return tl::unexpected(BadRequest("The request's target does not decode to UTF-8."));
  return *std::move(decoded);
}

std::string_view TakeUntil(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

// "http://host/path", as clients send it to proxies, means "/path".
std::string_view WithoutOrigin(std::string_view raw) {
  if (!raw.starts_with("http://") && !raw.starts_with("https://")) return raw;
  const std::size_t path = raw.find('/', raw.find("//") + 2);
  return path == std::string_view::npos ? "/" : raw.substr(path);
}

}  // namespace

const std::string* QueryParameters::Find(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string QueryParameters::Value(std::string_view name) const {
  const std::string* value = Find(name);
  return value != nullptr ? *value : std::string();
}

std::optional<std::string> QueryParameters::Optional(std::string_view name) const {
  const std::string* value = Find(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::vector<std::string> QueryParameters::Values(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : parameters_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

ApiResult<Target> ParseTarget(std::string_view raw) {
  std::string_view query = WithoutOrigin(raw);
  std::string_view path = TakeUntil(query, '?');
  Target target;
  if (path.starts_with('/')) path.remove_prefix(1);
  for (bool more = true; more;) {
    more = path.find('/') != std::string_view::npos;
    ApiResult<std::string> segment = Decode(TakeUntil(path, '/'), false);
    if (!segment) return tl::unexpected(segment.error());
    target.segments.push_back(*std::move(segment));
  }
  while (!query.empty()) {
    std::string_view value = TakeUntil(query, '&');
    if (value.empty()) continue;
    ApiResult<std::string> name = Decode(TakeUntil(value, '='), true);
    ApiResult<std::string> decoded = Decode(value, true);
    if (!name) return tl::unexpected(name.error());
    if (!decoded) return tl::unexpected(decoded.error());
    target.query.Add(*std::move(name), *std::move(decoded));
  }
  return target;
}

std::string EncodePath(std::string_view text) {
  std::string encoded;
  while (true) {
    encoded += EncodeSegment(text.substr(0, text.find('/')));
    if (text.find('/') == std::string_view::npos) return encoded;
    encoded += '/';
    text.remove_prefix(text.find('/') + 1);
  }
}

std::string EncodeSegment(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool is_unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                               c == '.' || c == '_' || c == '~';
    if (is_unreserved) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace gcsflux::emulator
