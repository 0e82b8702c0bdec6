#include "json/bounded_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace gcsflux::emulator {
namespace {

// What a byte outside of strings means for the structure.
enum class Mark : unsigned char { kNone, kQuote, kOpens, kCloses, kComma, kEnd };

constexpr std::array<Mark, 256> MarkBytes() {
  std::array<Mark, 256> marks{};
  marks['"'] = Mark::kQuote;
  marks['{'] = marks['['] = Mark::kOpens;
  marks['}'] = marks[']'] = Mark::kCloses;
  marks[','] = Mark::kComma;
  marks['\0'] = Mark::kEnd;  // The library ignores what follows it.
  return marks;
}
constexpr std::array<Mark, 256> kMarks = MarkBytes();

// The position after the quote that closes the string whose content begins at `at`, or the text's end.
std::size_t SkipString(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

}  // namespace

std::optional<std::string> FindExcess(std::string_view text, const JsonBounds& bounds) {
  // A value is the whole text, or the first in an object or array, or follows a comma.
  std::size_t values = 1;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    switch (kMarks[static_cast<unsigned char>(text[at++])]) {
      case Mark::kQuote: at = SkipString(text, at); break;
      case Mark::kOpens:
        ++values;
        if (++depth > bounds.depth) return "it nests deeper than " + std::to_string(bounds.depth) + " levels";
        break;
      case Mark::kCloses: depth -= depth != 0 ? 1 : 0; break;
      case Mark::kComma: ++values; break;
      case Mark::kEnd: return "it holds a zero byte";
      case Mark::kNone: break;
    }
    if (values > bounds.values) return "it has more than " + std::to_string(bounds.values) + " values";
  }
  return std::nullopt;
}

nlohmann::json ParseBoundedJson(std::string_view text, const JsonBounds& bounds) {
  if (FindExcess(text, bounds)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

std::size_t FindHugeNumber(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789+-.eE";
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = SkipString(text, at + 1);
    } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
      if (!std::isfinite(std::strtod(std::string(text.substr(at, end - at)).c_str(), nullptr))) return at;
      at = end;
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace gcsflux::emulator
