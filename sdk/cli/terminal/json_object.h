#pragma once

#include <array>
#include <charconv>
#include <cmath>
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
  /// With as many digits as the number needs; null if it is not finite, for which JSON has nothing.
  JsonObject& Add(std::string_view name, double number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return AddJson(name, std::isfinite(number) ? std::string_view(digits.data(), end) : "null");
  }
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
