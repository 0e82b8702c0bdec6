#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// Receives the parts of JSON text in order; no tree is held in memory. A method returns false to end the reading.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool Key(std::string& key) = 0;
  virtual bool String(std::string& text) = 0;
  virtual bool Unsigned(std::uint64_t number) = 0;
  /// null, true, false, and numbers that are negative or not whole.
  virtual bool Other() = 0;
  virtual bool BeginObject() = 0;
  virtual bool EndObject() = 0;
  virtual bool BeginArray() = 0;
  virtual bool EndArray() = 0;
};

/// A place in JSON text, and what is wrong there.
struct JsonError {
  std::uint64_t offset = 0;
  std::string why = {};
};

/// Reads all of `text`, which must be one value in UTF-8. Returns nothing if that succeeded, or if the handler ended
/// it.
std::optional<JsonError> ReadJson(std::string_view text, JsonHandler& handler);

/// As JSON, with its quotation marks. The text is UTF-8.
std::string QuotedJson(const std::string& text);

}  // namespace gcsflux::internal
