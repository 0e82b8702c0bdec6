#include "base/hide_secret.h"

#include <charconv>

namespace gcsflux::internal {
namespace {

// Whether `text` begins with `prefix` and then `digits` hexadecimal digits of the number of `c`.
bool IsHexOf(std::string_view text, std::string_view prefix, std::size_t digits, char c) {
  if (!text.starts_with(prefix) || text.size() < prefix.size() + digits) return false;
  const char* const begin = text.data() + prefix.size();
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(begin, begin + digits, number, 16);
  return failure == std::errc() && end == begin + digits && number == static_cast<unsigned char>(c);
}

// How many bytes at the beginning of `text` write `c`: in a URL, in a form, in JSON, or as it is. 0 where they do not.
std::size_t LengthWritten(std::string_view text, char c) {
  if (IsHexOf(text, "%", 2, c)) return 3;
  if (IsHexOf(text, "\\u", 4, c)) return 6;
  if (text.size() >= 2 && text[0] == '\\' && text[1] == c) return 2;
  if (text.starts_with(c) || (c == ' ' && text.starts_with('+'))) return 1;
  return 0;
}

// The same for the whole of the secret.
std::size_t LengthWritten(std::string_view text, std::string_view secret) {
  std::size_t length = 0;
  for (const char c : secret) {
    const std::size_t more = LengthWritten(text.substr(length), c);
    if (more == 0) return 0;
    length += more;
  }
  return length;
}

}  // namespace

void HideSecret(std::string& text, std::string_view secret) {
  constexpr std::string_view kShown = "[secret]";
  if (secret.size() < kShown.size()) return;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    const std::size_t length = rest.starts_with(secret) ? secret.size() : LengthWritten(rest, secret);
    if (length == 0) continue;
    text.replace(at, length, kShown);
    at += kShown.size() - 1;
  }
}

}  // namespace gcsflux::internal
