#include "transfer/listing/code_points.h"

#include <algorithm>

namespace gcsflux::internal::listing {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kLast = 0x10FFFF;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

std::size_t LengthOf(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 0;
}

}  // namespace

char32_t TakeCodePoint(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = LengthOf(lead);
  if (length == 1) {
    text.remove_prefix(1);
    return lead;
  }
  char32_t code = length == 0 ? 0 : lead & (0x7FU >> length);
  std::size_t taken = 1;
  for (; taken < length && taken < text.size() && IsContinuation(text[taken]); ++taken) {
    code = (code << 6) | (static_cast<unsigned char>(text[taken]) & 0x3FU);
  }
  text.remove_prefix(taken);
  return length != 0 && taken == length && code <= kLast ? code : kReplacement;
}

void AppendCodePoint(std::string& text, char32_t code) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | (code >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  auto length = static_cast<std::size_t>(differ - a.begin());
  const auto is_inside = [&](std::string_view text) { return length < text.size() && IsContinuation(text[length]); };
  while (length > 0 && (is_inside(a) || is_inside(b))) --length;
  return length;
}

std::string EndOfPrefix(std::string_view prefix) {
  while (!prefix.empty()) {
    std::size_t last = prefix.size() - 1;
    while (last > 0 && IsContinuation(prefix[last])) --last;
    std::string_view character = prefix.substr(last);
    const char32_t code = TakeCodePoint(character);
    prefix.remove_suffix(prefix.size() - last);
    if (code >= kLast) continue;
    std::string end(prefix);
    AppendCodePoint(end, code == 0xD7FF ? 0xE000 : code + 1);  // surrogates are not characters
    return end;
  }
  return {};
}

std::string_view DirectoryOf(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash + 1);
}

}  // namespace gcsflux::internal::listing
