#include "wire/bounded_json.h"

#include <nlohmann/json.hpp>

#include "base/text/zero_byte.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kAnyShape = 64U << 10;  // Whatever is in so short a text takes little memory.
constexpr std::size_t kMostLevels = 64;

// Behind the string that begins in front of `at`.
std::size_t EndOfString(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

}  // namespace

bool IsBounded(std::string_view text, std::size_t most_values) {
  std::size_t levels = 0;
  std::size_t values = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') at = EndOfString(text, at + 1) - 1;
    if (c == '[' || c == '{') ++levels;
    if (c == ']' || c == '}') --levels;
    if (c == '[' || c == '{' || c == ',') ++values;
    if (levels > kMostLevels || values > most_values) return false;
  }
  return true;
}

Json ParseBounded(std::string_view text, std::size_t most_values) {
  const bool is_bounded = text.size() <= kAnyShape || IsBounded(text, most_values);
  if (!is_bounded || HasZeroByte(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace gcsflux::internal
