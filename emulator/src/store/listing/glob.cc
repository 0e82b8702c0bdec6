#include "store/listing/glob.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

constexpr std::size_t kMaxPattern = 1024;
constexpr char32_t kLast = 0x10FFFF;

// Takes the first character off the front of `text`, which is UTF-8 and not empty.
char32_t TakeCharacter(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t character = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < std::min(length, text.size()); ++i) {
    character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(length, text.size()));
  return character;
}

// All characters outside of the ranges.
Ranges Complement(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end());
  Ranges others;
  char32_t from = 0;
  for (const auto& [first, last] : ranges) {
    if (first > from) others.emplace_back(from, first - 1);
    from = std::max<char32_t>(from, last + 1);
  }
  if (from <= kLast) others.emplace_back(from, kLast);
  return others;
}

Ranges Anything() { return {{0, kLast}}; }
Ranges AnythingButSlash() { return Complement({{U'/', U'/'}}); }

}  // namespace

// Adds the states for a pattern, from front to end.
class GlobParser {
 public:
  GlobParser(std::string_view pattern, Glob& glob) : rest_(pattern), glob_(glob) {}

  // The whole pattern; false if it is malformed.
  bool Parse() {
    const std::optional<Part> whole = ParseSequence(0);
    if (!whole || !rest_.empty()) return false;
    glob_.start_ = whole->first;
    glob_.states_[whole->last].next = Add({.kind = Glob::Kind::kMatch});
    return true;
  }

 private:
  // States from `first` to `last`, a fork that has no target yet.
  struct Part {
    Glob::Index first = Glob::kNone;
    Glob::Index last = Glob::kNone;
  };

  Glob::Index Add(Glob::State state) {
    glob_.states_.push_back(std::move(state));
    return glob_.states_.size() - 1;
  }

  Part AddCharacter(Ranges ranges) {
    const Glob::Index last = Add({});
    return {Add({.kind = Glob::Kind::kCharacters, .ranges = std::move(ranges), .next = last}), last};
  }

  Part AddRepeated(Ranges ranges) {
    const Glob::Index last = Add({});
    const Glob::Index fork = Add({.other = last});
    glob_.states_[fork].next = Add({.kind = Glob::Kind::kCharacters, .ranges = std::move(ranges), .next = fork});
    return {fork, last};
  }

  // To the end, or within braces to the next comma or closing brace.
  std::optional<Part> ParseSequence(int depth) {
    Part sequence;
    sequence.first = sequence.last = Add({});
    while (!rest_.empty() && !(depth != 0 && (rest_.front() == ',' || rest_.front() == '}'))) {
      const std::optional<Part> part = ParsePart(depth);
      if (!part) return std::nullopt;
      glob_.states_[sequence.last].next = part->first;
      sequence.last = part->last;
    }
    return sequence;
  }

  std::optional<Part> ParsePart(int depth) {
    const char32_t character = TakeCharacter(rest_);
    switch (character) {
      case U'*': return ParseStars();
      case U'?': return AddCharacter(AnythingButSlash());
      case U'[': return ParseSet();
      case U'{': return ParseChoice(depth + 1);
      case U'\\': {
        if (rest_.empty()) return std::nullopt;
        const char32_t escaped = TakeCharacter(rest_);
        return AddCharacter({{escaped, escaped}});
      }
      default: return AddCharacter({{character, character}});
    }
  }

  // After the first one.
  Part ParseStars() {
    const bool is_double = rest_.starts_with('*');
    rest_.remove_prefix(std::min(rest_.find_first_not_of('*'), rest_.size()));
    return AddRepeated(is_double ? Anything() : AnythingButSlash());
  }

  // After the opening bracket.
  std::optional<Part> ParseSet() {
    const bool is_negated = rest_.starts_with('!') || rest_.starts_with('^');
    if (is_negated) rest_.remove_prefix(1);
    Ranges ranges;
    while (!rest_.empty() && rest_.front() != ']') {
      const char32_t first = TakeCharacter(rest_);
      const bool is_range = rest_.size() > 1 && rest_.front() == '-' && rest_[1] != ']';
      if (is_range) rest_.remove_prefix(1);
      const char32_t last = is_range ? TakeCharacter(rest_) : first;
      if (last < first) return std::nullopt;
      ranges.emplace_back(first, last);
    }
    if (rest_.empty() || ranges.empty()) return std::nullopt;
    rest_.remove_prefix(1);
    if (!is_negated) return AddCharacter(std::move(ranges));
    ranges.emplace_back(U'/', U'/');
    return AddCharacter(Complement(std::move(ranges)));
  }

  // After the opening brace.
  std::optional<Part> ParseChoice(int depth) {
    Part choice;
    choice.last = Add({});
    choice.first = Add({});
    Glob::Index fork = choice.first;
    while (true) {
      const std::optional<Part> alternative = ParseSequence(depth);
      if (!alternative || rest_.empty()) return std::nullopt;
      glob_.states_[fork].next = alternative->first;
      glob_.states_[alternative->last].next = choice.last;
      const bool is_last = rest_.front() == '}';
      rest_.remove_prefix(1);
      if (is_last) return choice;
      fork = glob_.states_[fork].other = Add({});
    }
  }

  std::string_view rest_;
  Glob& glob_;
};

Outcome<Glob> Glob::Parse(std::string_view pattern) {
  Glob glob;
  if (pattern.size() > kMaxPattern || !IsUtf8(pattern) || !GlobParser(pattern, glob).Parse()) {
    return Fail(FailureKind::kInvalid, "Invalid glob pattern: " + std::string(pattern.substr(0, 256)));
  }
  glob.literal_prefix_ = pattern.substr(0, pattern.find_first_of("*?[{\\"));
  return glob;
}

bool Glob::Matches(std::string_view name, std::uint64_t& steps) const {
  Run run(states_.size());
  Enter(start_, run);
  while (!name.empty() && !run.next.empty()) {
    const char32_t character = TakeCharacter(name);
    run.now.swap(run.next);
    run.next.clear();
    ++run.character;
    for (const Index index : run.now) {
      if (Takes(states_[index], character, run)) Enter(states_[index].next, run);
    }
  }
  steps += run.steps;
  return name.empty() && std::any_of(run.next.begin(), run.next.end(),
                                     [this](Index index) { return states_[index].kind == Kind::kMatch; });
}

bool Glob::Takes(const State& state, char32_t character, Run& run) {
  run.steps += state.ranges.size();
  return std::any_of(state.ranges.begin(), state.ranges.end(),
                     [character](const auto& range) { return character >= range.first && character <= range.second; });
}

// Adds all states that `state` reaches without a character, except forks.
void Glob::Enter(Index state, Run& run) const {
  run.open.push_back(state);
  while (!run.open.empty()) {
    const Index index = run.open.back();
    run.open.pop_back();
    ++run.steps;
    if (index == kNone || std::exchange(run.entered_at[index], run.character) == run.character) continue;
    if (states_[index].kind != Kind::kFork) {
      run.next.push_back(index);
      continue;
    }
    run.open.push_back(states_[index].next);
    run.open.push_back(states_[index].other);
  }
}

}  // namespace gcsflux::emulator
