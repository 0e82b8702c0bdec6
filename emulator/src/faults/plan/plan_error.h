#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gcsflux::emulator {

/// From the root of a JSON document down: names of members, and indices in arrays.
using JsonPath = std::vector<std::variant<std::string, std::size_t>>;

/// What is wrong with a fault plan, and where.
class PlanError : public std::invalid_argument {
 public:
  /// `text` names the rule and the field too.
  PlanError(JsonPath path, const std::string& text)
      : std::invalid_argument("fault plan: " + text), path_(std::move(path)), text_(text) {}

  [[nodiscard]] const JsonPath& path() const { return path_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  JsonPath path_;
  std::string text_;
};

}  // namespace gcsflux::emulator
