#include "server/json_writer.h"

#include <array>

namespace gcsflux::emulator {

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
  constexpr std::string_view kHex = "0123456789abcdef";
  json_ += '"';
  std::size_t plain = 0;  // text before it is in json_ already
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    json_.append(text, plain, i - plain);
    plain = i + 1;
    if (c >= 0x20) {
      json_ += {'\\', text[i]};
    } else {
      json_ += "\\u00";
      json_ += {kHex[c >> 4], kHex[c & 15]};
    }
  }
  json_.append(text, plain, text.size() - plain);
  json_ += '"';
}

}  // namespace gcsflux::emulator
