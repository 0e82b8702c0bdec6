#include "faults/plan/json_position.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/interruption.h"

namespace gcsflux::emulator {
namespace {

// Walks over well-formed JSON, because the parser keeps no positions.
class Walker {
 public:
  explicit Walker(std::string_view json) : json_(json) { SkipSpace(); }

  [[nodiscard]] std::size_t at() const { return at_; }

  /// The first name of a member that its object has already.
  std::optional<std::size_t> FindRepeatedName() {
    std::vector<std::set<std::string_view>> names;  // of the enclosing objects
    while (at_ < json_.size()) {
      ThrowIfInterrupted();
      const std::size_t begin = at_;
      const char c = json_[at_];
      if (c == '{') names.emplace_back();
      if (c == '}') names.pop_back();
      c == '"' ? SkipString() : static_cast<void>(++at_);
      const std::string_view text = json_.substr(begin, at_ - begin);
      SkipSpace();
      const bool is_name = c == '"' && at_ < json_.size() && json_[at_] == ':';
      if (is_name && !names.back().insert(text).second) return begin;
    }
    return std::nullopt;
  }

  /// The path to the value at `end`.
  JsonPath PathTo(std::size_t end) {
    JsonPath path;
    while (at_ < end) {
      const char c = json_[at_];
      if (c == '{') path.emplace_back(std::string());
      if (c == '[') path.emplace_back(std::size_t{0});
      if (c == '}' || c == ']') path.pop_back();
      if (c == ',' && std::holds_alternative<std::size_t>(path.back())) ++std::get<std::size_t>(path.back());
      const bool is_name = c == '"' && !path.empty() && std::holds_alternative<std::string>(path.back());
      const std::size_t begin = at_ + 1;
      c == '"' ? SkipString() : Take();
      if (is_name) TakeName(path.back(), json_.substr(begin, at_ - begin - 1));
    }
    return path;
  }

  /// From the beginning of an object or array to a value in it. Returns false, at no defined place, if there is none.
  bool Enter(const std::variant<std::string, std::size_t>& step) {
    const bool is_object = std::holds_alternative<std::string>(step);
    if (json_[at_] != (is_object ? '{' : '[')) return false;
    Take();
    for (std::size_t index = 0; json_[at_] != '}' && json_[at_] != ']'; ++index) {
      const bool is_it = is_object ? Key() == std::get<std::string>(step) : index == std::get<std::size_t>(step);
      if (is_it) return true;
      SkipValue();
      if (json_[at_] == ',') Take();
    }
    return false;
  }

 private:
  void SkipSpace() { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }
  void Take() {
    ++at_;
    SkipSpace();
  }
  void SkipString() {
    for (++at_; json_[at_] != '"'; ++at_) at_ += json_[at_] == '\\' ? 1 : 0;
    ++at_;
  }
  // A string before a colon is a name, else a value.
  void TakeName(std::variant<std::string, std::size_t>& step, std::string_view text) {
    SkipSpace();
    if (at_ < json_.size() && json_[at_] == ':') step = std::string(text);
  }
  // A member's name as it is written: the names of fields need no escapes.
  std::string_view Key() {
    const std::size_t begin = at_ + 1;
    SkipString();
    const std::string_view key = json_.substr(begin, at_ - begin - 1);
    SkipSpace();
    Take();  // the colon
    return key;
  }
  void SkipValue() {
    for (std::size_t depth = 0; at_ < json_.size();) {
      const char c = json_[at_];
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      c == '"' ? SkipString() : static_cast<void>(++at_);
    }
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

}  // namespace

std::string PositionOf(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_begin + 1);
}

std::size_t FindValue(std::string_view json, const JsonPath& path) {
  Walker walker(json);
  std::size_t found = walker.at();
  for (const auto& step : path) {
    if (!walker.Enter(step)) break;
    found = walker.at();
  }
  return found;
}

JsonPath PathTo(std::string_view json, std::size_t at) { return Walker(json).PathTo(at); }

std::optional<std::size_t> FindRepeatedName(std::string_view json) { return Walker(json).FindRepeatedName(); }

}  // namespace gcsflux::emulator
