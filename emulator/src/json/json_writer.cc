#include "json/json_writer.h"

#include <algorithm>
#include <cstring>

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kEachByte = 0x0101'0101'0101'0101;
constexpr std::uint64_t kHighBits = kEachByte * 0x80;

bool IsPlain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

// Whether all eight bytes are plain. If a byte is below n, subtracting n borrows, and that sets its high bit.
bool ArePlain(const char* eight) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  const std::uint64_t quotes = bytes ^ (kEachByte * '"');
  const std::uint64_t backslashes = bytes ^ (kEachByte * '\\');
  const std::uint64_t special = ((bytes - kEachByte * 0x20) & ~bytes) | ((quotes - kEachByte) & ~quotes) |
                                ((backslashes - kEachByte) & ~backslashes);
  return (special & kHighBits) == 0;
}

// How many bytes at the beginning of `text` need no escape in JSON.
std::size_t CountPlain(std::string_view text) {
  std::size_t count = 0;
  while (text.size() - count >= 8 && ArePlain(text.data() + count)) count += 8;
  while (count < text.size() && IsPlain(text[count])) ++count;
  return count;
}

}  // namespace

void JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  json_ += ':';
  needs_comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  Quote(text);
}

void JsonWriter::Number(std::int64_t number) {
  Separate();
  json_ += std::to_string(number);
}

void JsonWriter::Boolean(bool value) {
  Separate();
  json_ += value ? "true" : "false";
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  json_ += json;
}

void JsonWriter::Open(char bracket) {
  Separate();
  json_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  json_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::Separate() {
  if (needs_comma_) json_ += ',';
  needs_comma_ = true;
}

void JsonWriter::Quote(std::string_view text) {
  json_ += '"';
  while (true) {
    const std::size_t plain = CountPlain(text);
    json_.append(text, 0, plain);
    if (plain == text.size()) break;
    Escape(text[plain]);
    text.remove_prefix(plain + 1);
  }
  json_ += '"';
}

void JsonWriter::Escape(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20) {
    json_ += {'\\', c};
  } else {
    json_ += "\\u00";
    json_ += {kHex[code >> 4], kHex[code & 15]};
  }
}

}  // namespace gcsflux::emulator
