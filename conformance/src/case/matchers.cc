#include "case/matchers.h"

#include <regex.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "case/excerpt.h"

namespace gcsflux::conformance {
namespace {

const std::string* AsString(const Json* value) {
  return value != nullptr ? value->get_ptr<const std::string*>() : nullptr;
}

/// The JSON API writes 64-bit integers as strings of decimal digits.
std::optional<std::uint64_t> AsInt64(const Json* value) {
  const std::string* text = AsString(value);
  if (text == nullptr || text->empty() || text->size() > 19) return std::nullopt;
  if (text->find_first_not_of("0123456789") != text->npos) return std::nullopt;
  return std::stoull(*text);
}

bool IsTrue(const Json& argument) { return argument == true; }
bool IsString(const Json& argument) { return argument.is_string(); }
bool IsCount(const Json& argument) { return argument.is_number_unsigned(); }
bool IsList(const Json& argument) { return argument.is_array() && !argument.empty(); }

/// A POSIX extended regular expression that must match the whole text. (std::regex does not build without warnings
/// under g++ 12's sanitizers.)
class WholeRegex {
 public:
  explicit WholeRegex(const std::string& pattern)
      : is_valid_(regcomp(&compiled_, ("^(" + pattern + ")$").c_str(), REG_EXTENDED | REG_NOSUB) == 0) {}
  ~WholeRegex() {
    if (is_valid_) regfree(&compiled_);
  }
  WholeRegex(const WholeRegex&) = delete;
  WholeRegex& operator=(const WholeRegex&) = delete;

  [[nodiscard]] bool is_valid() const { return is_valid_; }
  [[nodiscard]] bool Matches(const std::string& text) const {
    return is_valid_ && regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_;
  const bool is_valid_;
};

bool IsRegex(const Json& argument) {
  return argument.is_string() && WholeRegex(argument.get<std::string>()).is_valid();
}

bool Absent(const Json&, const Json* value) { return value == nullptr; }
bool Present(const Json&, const Json* value) { return value != nullptr; }
bool Int64(const Json&, const Json* value) { return AsInt64(value).has_value(); }

bool Regex(const Json& argument, const Json* value) {
  const std::string* text = AsString(value);
  return text != nullptr && WholeRegex(argument.get<std::string>()).Matches(*text);
}

bool Contains(const Json& argument, const Json* value) {
  const std::string* text = AsString(value);
  return text != nullptr && text->find(argument.get<std::string>()) != text->npos;
}

bool StartsWith(const Json& argument, const Json* value) {
  const std::string* text = AsString(value);
  return text != nullptr && text->starts_with(argument.get<std::string>());
}

bool GreaterThan(const Json& argument, const Json* value) {
  const auto floor = AsInt64(&argument);
  const auto got = AsInt64(value);
  return floor && got && *got > *floor;
}

bool Not(const Json& argument, const Json* value) {
  return value != nullptr && FindDifference(argument, value).has_value();
}

bool Empty(const Json&, const Json* value) {
  return value == nullptr || value->is_null() || (value->is_structured() && value->empty());
}

bool OneOf(const Json& argument, const Json* value) {
  return std::any_of(argument.begin(), argument.end(),
                     [value](const Json& wanted) { return !FindDifference(wanted, value).has_value(); });
}

bool Size(const Json& argument, const Json* value) {
  if (value == nullptr) return false;
  const std::string* text = AsString(value);
  return argument == (text != nullptr ? text->size() : value->size());
}

struct Matcher {
  std::string_view key;
  std::string_view argument;  ///< What the value must be, for the message.
  bool (*takes)(const Json& argument);
  bool (*holds)(const Json& argument, const Json* value);
};

constexpr std::array kMatchers = {
    Matcher{"$absent", "true", IsTrue, Absent},
    Matcher{"$present", "true", IsTrue, Present},
    Matcher{"$empty", "true", IsTrue, Empty},
    Matcher{"$int64", "true", IsTrue, Int64},
    Matcher{"$regex", "a regular expression", IsRegex, Regex},
    Matcher{"$contains", "a string", IsString, Contains},
    Matcher{"$starts_with", "a string", IsString, StartsWith},
    Matcher{"$greater_than", "a string", IsString, GreaterThan},
    Matcher{"$not", "a wanted value", [](const Json&) { return true; }, Not},
    Matcher{"$one_of", "a list of wanted values", IsList, OneOf},
    Matcher{"$size", "a number of bytes or elements", IsCount, Size},
};

const Matcher* FindMatcher(std::string_view key) {
  const auto* found =
      std::find_if(kMatchers.begin(), kMatchers.end(), [key](const Matcher& each) { return each.key == key; });
  return found == kMatchers.end() ? nullptr : found;
}

std::string Difference(const std::string& path, const Json& wanted, const Json* got) {
  const std::string where = path.empty() ? "" : path + ": ";
  return where + "wanted " + Excerpt(wanted) + ", got " + (got != nullptr ? Excerpt(*got) : "nothing");
}

std::string Inside(std::string path, const std::string& key) { return path.append("/").append(key); }

std::optional<std::string> FindDifferenceAt(const std::string& path, const Json& wanted, const Json* got) {
  if (IsMatcher(wanted)) {
    const auto entry = wanted.begin();
    const Matcher* matcher = FindMatcher(entry.key());
    if (matcher != nullptr && matcher->holds(entry.value(), got)) return std::nullopt;
    return Difference(path, wanted, got);
  }
  if (got == nullptr || got->type_name() != std::string_view(wanted.type_name())) {
    return Difference(path, wanted, got);
  }
  if (wanted.is_object()) {
    for (const auto& [key, element] : wanted.items()) {
      const auto found = got->find(key);
      if (auto bad = FindDifferenceAt(Inside(path, key), element, found != got->end() ? &*found : nullptr)) return bad;
    }
    return std::nullopt;
  }
  if (wanted.is_array() && wanted.size() == got->size()) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (auto bad = FindDifferenceAt(Inside(path, std::to_string(i)), wanted[i], &(*got)[i])) return bad;
    }
    return std::nullopt;
  }
  if (wanted == *got) return std::nullopt;
  return Difference(path, wanted, got);
}

}  // namespace

bool IsMatcher(const Json& wanted) {
  if (!wanted.is_object()) return false;
  const auto items = wanted.items();
  return std::any_of(items.begin(), items.end(), [](const auto& each) { return each.key().starts_with('$'); });
}

std::optional<std::string> FindMalformedMatcher(const Json& wanted) {
  if (IsMatcher(wanted)) {
    const auto entry = wanted.begin();
    if (wanted.size() != 1) return "a matcher is an object of one key, not " + Excerpt(wanted);
    const Matcher* matcher = FindMatcher(entry.key());
    if (matcher == nullptr) return "there is no matcher " + entry.key();
    if (!matcher->takes(entry.value())) return entry.key() + " takes " + std::string(matcher->argument);
  }
  if (!wanted.is_structured()) return std::nullopt;
  for (const auto& element : wanted) {
    if (auto malformed = FindMalformedMatcher(element)) return malformed;
  }
  return std::nullopt;
}

std::optional<std::string> FindDifference(const Json& wanted, const Json* got) {
  return FindDifferenceAt("", wanted, got);
}

}  // namespace gcsflux::conformance
