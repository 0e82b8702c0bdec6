#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// Appends JSON to one string. Answers list thousands of objects, so no tree is built. Strings must be UTF-8.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);
  void String(std::string_view text);
  void Number(std::int64_t number);
  void Boolean(bool value);
  /// Appends a value that is JSON already.
  void Raw(std::string_view json);

  /// Appends a member whose value is a string, like all of GCS's 64-bit numbers.
  void Member(std::string_view key, std::string_view text) {
    Key(key);
    String(text);
  }

  [[nodiscard]] std::string Take() { return std::move(json_); }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Separate();
  void Quote(std::string_view text);
  void Escape(char c);

  std::string json_;
  bool needs_comma_ = false;
};

}  // namespace gcsflux::emulator
