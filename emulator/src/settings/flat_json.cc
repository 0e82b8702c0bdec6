#include "settings/flat_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "json/bounded_json.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

[[noreturn]] void Refuse(int line, const std::string& what) {
  throw std::invalid_argument("line " + std::to_string(line) + ": " + what);
}

int LineAt(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

// The position after a string's closing quote; `begin` is after the opening one. The text is known to be JSON.
std::size_t EndOfString(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin;; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
}

// The names at the top of an object, or of the beginning of one, and where they are. The text is known to be JSON. The
// library does not tell positions.
std::vector<JsonMember> FindNames(std::string_view text) {
  std::vector<JsonMember> names;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    if (text[at] != '"') continue;
    const std::size_t end = EndOfString(text, at + 1);
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (depth == 1 && next != std::string_view::npos && text[next] == ':') {
      names.push_back({.name = json::parse(text.substr(at, end - at)), .line = LineAt(text, at)});
    }
    at = end - 1;
  }
  return names;
}

// `before` is an object up to a number that is too large.
[[noreturn]] void RefuseNumber(std::string_view before) {
  const std::vector<JsonMember> names = FindNames(before);
  if (names.empty()) Refuse(LineAt(before, before.size()), "must be a JSON object");
  Refuse(names.back().line, names.back().name + ": is a number that is too large");
}

json ParseObject(std::string_view text) {
  // No settings have so many fields. Each field is compared with all others.
  if (const auto excess = FindExcess(text, {.values = 1000})) Refuse(1, *excess);
  json parsed;
  try {
    parsed = json::parse(text);
  } catch (const json::parse_error& error) {
    Refuse(LineAt(text, std::min(error.byte, text.size())), "is not JSON from here on");
  } catch (const json::out_of_range&) {
    RefuseNumber(text.substr(0, FindHugeNumber(text)));
  }
  if (!parsed.is_object()) Refuse(1, "must be a JSON object");
  return parsed;
}

}  // namespace

std::vector<JsonMember> ParseFlatJson(std::string_view text) {
  const json parsed = ParseObject(text);
  std::vector<JsonMember> members = FindNames(text);
  if (members.size() != parsed.size()) {
    for (auto at = members.begin(); at != members.end(); ++at) {
      const auto is_same = [&](const JsonMember& other) { return other.name == at->name; };
      if (std::any_of(members.begin(), at, is_same)) Refuse(at->line, at->name + ": occurs twice");
    }
  }
  for (JsonMember& member : members) {
    const json& value = parsed.at(member.name);
    if (value.is_structured()) Refuse(member.line, member.name + ": must be a number, a string or null");
    if (!value.is_null()) member.text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return members;
}

}  // namespace gcsflux::emulator
