#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/messages/json_text.h"

namespace gcsflux::cli {

/// A JSON object, member by member.
class JsonObject {
 public:
  JsonObject& Add(std::string_view name, std::string_view text) { return AddJson(name, internal::JsonText(text)); }
  JsonObject& Add(std::string_view name, std::integral auto number) { return AddJson(name, std::to_string(number)); }
  /// A value that is JSON already.
  JsonObject& AddJson(std::string_view name, std::string_view json) {
    text_.append(text_.empty() ? "{" : ",").append(internal::JsonText(name)).append(":").append(json);
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace gcsflux::cli
