#include "cli/arguments/glob.h"

#include <algorithm>
#include <cstddef>

namespace gcsflux::cli {
namespace {

constexpr std::size_t kMostPatterns = 1000;

Error Wrong(std::string_view pattern, const std::string& why) {
  return Error{ErrorCode::kInvalidArgument, "pattern '" + std::string(pattern) + "': " + why};
}

// The length of the character that the text begins with. Bytes that are not UTF-8 are characters of their own.
std::size_t CharacterBytes(std::string_view text) {
  const auto is_continuation = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U; };
  std::size_t bytes = 1;
  if ((static_cast<unsigned char>(text[0]) & 0xC0U) != 0xC0U) return bytes;
  while (bytes < std::min<std::size_t>(text.size(), 4) && is_continuation(bytes)) ++bytes;
  return bytes;
}

std::string_view FirstCharacter(std::string_view text) { return text.substr(0, CharacterBytes(text)); }

// The end of the bracket expression that begins at 0, past its ']'; npos if it is not closed. A ']' at its beginning
// stands for itself.
std::size_t BracketEnd(std::string_view pattern) {
  const std::size_t first = pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^') ? 2 : 1;
  const std::size_t end = pattern.find(']', first + 1);
  return end == pattern.npos ? end : end + 1;
}

// Whether the bracket expression, with its brackets, has the character. UTF-8's order of bytes is that of code points.
bool HasCharacter(std::string_view bracket, std::string_view character) {
  std::string_view rest = bracket.substr(1, bracket.size() - 2);
  const bool is_negated = rest.front() == '!' || rest.front() == '^';
  if (is_negated) rest.remove_prefix(1);
  bool is_found = false;
  while (!rest.empty()) {
    const std::string_view low = FirstCharacter(rest);
    rest.remove_prefix(low.size());
    std::string_view high = low;
    if (rest.size() > 1 && rest.front() == '-') {
      high = FirstCharacter(rest.substr(1));
      rest.remove_prefix(1 + high.size());
    }
    is_found = is_found || (low <= character && character <= high);
  }
  return is_found != is_negated;
}

// Without braces. The last star is enough to come back to, but a ** may have to take what a * may not, so there are
// two.
bool MatchesOne(std::string_view pattern, std::string_view text) {
  struct Star {
    std::string_view pattern = {};  // Behind it.
    std::string_view text = {};     // What it has not taken.
    bool is_set = false;
  };
  Star one;
  Star deep;
  const auto retry = [&](Star& star, bool takes_slashes) {
    if (!star.is_set || star.text.empty() || (!takes_slashes && star.text.front() == '/')) return false;
    star.text.remove_prefix(CharacterBytes(star.text));
    pattern = star.pattern;
    text = star.text;
    return true;
  };
  while (true) {
    if (pattern.starts_with('*')) {
      const std::size_t stars = std::min(pattern.find_first_not_of('*'), pattern.size());
      pattern.remove_prefix(stars);
      (stars > 1 ? deep : one) = {pattern, text, true};
      if (stars > 1) one.is_set = false;
      continue;
    }
    if (!pattern.empty() && !text.empty()) {
      const std::string_view character = FirstCharacter(text);
      const std::size_t length = pattern.front() == '[' ? BracketEnd(pattern) : CharacterBytes(pattern);
      const std::string_view wanted = pattern.substr(0, length);
      const bool is_match = wanted == "?"             ? character != "/"
                            : wanted.starts_with('[') ? character != "/" && HasCharacter(wanted, character)
                                                      : wanted == character;
      if (is_match) {
        pattern.remove_prefix(length);
        text.remove_prefix(character.size());
        continue;
      }
    } else if (pattern.empty() && text.empty()) {
      return true;
    }
    if (retry(one, false)) continue;
    one.is_set = false;
    if (!retry(deep, true)) return false;
  }
}

// The texts that the first braces mean; nothing if there are none.
Result<std::vector<std::string>> ExpandFirst(std::string_view pattern) {
  std::vector<std::string> expanded;
  std::size_t begin = 0;
  while (begin < pattern.size() && pattern[begin] != '{') {
    if (pattern[begin] != '[') {
      ++begin;
      continue;
    }
    const std::size_t length = BracketEnd(pattern.substr(begin));
    if (length == pattern.npos) return Error{ErrorCode::kInvalidArgument, "'[' has no ']'"};
    begin += length;
  }
  if (begin == pattern.size()) return expanded;
  std::vector<std::string_view> choices;
  std::size_t depth = 0;
  std::size_t choice = begin + 1;
  for (std::size_t at = begin; at < pattern.size(); ++at) {
    if (pattern[at] == '{') ++depth;
    const bool is_end = pattern[at] == '}' && --depth == 0;
    if (is_end || (pattern[at] == ',' && depth == 1)) {
      choices.push_back(pattern.substr(choice, at - choice));
      choice = at + 1;
    }
    if (!is_end) continue;
    for (const std::string_view one : choices) {
      expanded.push_back(std::string(pattern.substr(0, begin)).append(one).append(pattern.substr(at + 1)));
    }
    return expanded;
  }
  return Error{ErrorCode::kInvalidArgument, "'{' has no '}'"};
}

}  // namespace

Result<Glob> Glob::Parse(std::string_view pattern) {
  Glob glob;
  std::vector<std::string> open = {std::string(pattern)};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    auto expanded = ExpandFirst(next);
    if (!expanded) return Wrong(pattern, expanded.error().message);
    if (expanded->empty()) glob.patterns_.push_back(next);
    open.insert(open.end(), expanded->begin(), expanded->end());
    if (open.size() + glob.patterns_.size() > kMostPatterns) {
      return Wrong(pattern, "its braces mean more than 1,000 patterns");
    }
  }
  return glob;
}

bool Glob::Matches(std::string_view text) const {
  return std::ranges::any_of(patterns_, [&](const std::string& pattern) { return MatchesOne(pattern, text); });
}

}  // namespace gcsflux::cli
