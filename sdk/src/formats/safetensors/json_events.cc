#include "formats/safetensors/json_events.h"

#include <nlohmann/json.hpp>

namespace gcsflux::internal {
namespace {

using nlohmann::json;

// What nlohmann's parser calls; its names are the library's.
class Adapter {
 public:
  explicit Adapter(JsonHandler& handler) : handler_(handler) {}

  bool null() { return handler_.Other(); }
  bool boolean(bool) { return handler_.Other(); }
  bool number_integer(json::number_integer_t) { return handler_.Other(); }
  bool number_unsigned(json::number_unsigned_t number) { return handler_.Unsigned(number); }
  bool number_float(json::number_float_t, const std::string&) { return handler_.Other(); }
  bool string(std::string& text) { return handler_.String(text); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return handler_.BeginObject(); }
  bool end_object() { return handler_.EndObject(); }
  bool start_array(std::size_t) { return handler_.BeginArray(); }
  bool end_array() { return handler_.EndArray(); }
  bool key(std::string& name) { return handler_.Key(name); }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) {
    error_ = {.offset = position > 0 ? position - 1 : 0, .why = "this is not JSON"};
    return false;
  }

  [[nodiscard]] const std::optional<JsonError>& error() const { return error_; }

 private:
  JsonHandler& handler_;
  std::optional<JsonError> error_;
};

}  // namespace

std::optional<JsonError> ReadJson(std::string_view text, JsonHandler& handler) {
  // nlohmann's parser would take it for the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return JsonError{.offset = at, .why = "this is not JSON"};
  }
  Adapter adapter(handler);
  json::sax_parse(text, &adapter);
  return adapter.error();
}

std::string QuotedJson(const std::string& text) { return json(text).dump(); }

}  // namespace gcsflux::internal
