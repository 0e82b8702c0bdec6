#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.h"

namespace gcsflux::emulator {

/// A pattern for whole names:
/// https://cloud.google.com/storage/docs/json_api/v1/objects/list#list-objects-and-prefixes-using-glob
///
/// `*` is any characters except slashes, `**` any characters, `?` one character except a slash, `[abc]` and `[a-z]` one
/// of these, `[!abc]` one character that is neither one of these nor a slash, `{x,y}` one of the patterns in it. A
/// backslash (unverified) takes the next character literally. Thread-safe.
class Glob {
 public:
  /// kInvalid if a bracket or a brace is not closed, a set is empty, or the pattern is very long or not UTF-8.
  static Outcome<Glob> Parse(std::string_view pattern);

  [[nodiscard]] bool Matches(std::string_view name) const {
    std::uint64_t steps = 0;
    return Matches(name, steps);
  }
  /// The name must be UTF-8. Adds the work to `steps`: at most 16 for each byte of the pattern and each byte of the
  /// name, whatever they are. One step takes some nanoseconds.
  [[nodiscard]] bool Matches(std::string_view name, std::uint64_t& steps) const;

  /// The text with which every matching name begins.
  [[nodiscard]] const std::string& literal_prefix() const { return literal_prefix_; }

 private:
  friend class GlobParser;
  using Index = std::size_t;
  static constexpr Index kNone = static_cast<Index>(-1);

  // One state of a nondeterministic automaton. It takes a character and moves to `next`, or takes none and moves to
  // both `next` and `other`.
  enum class Kind { kCharacters, kFork, kMatch };
  struct State {
    Kind kind = Kind::kFork;
    std::vector<std::pair<char32_t, char32_t>> ranges = {};  ///< Both ends included.
    Index next = kNone;
    Index other = kNone;
  };

  // The states that a match is in. The memory is kept from one character to the next.
  struct Run {
    explicit Run(std::size_t states) : entered_at(states) {}
    std::vector<Index> now = {};
    std::vector<Index> next = {};
    std::vector<Index> open = {};
    std::vector<std::uint32_t> entered_at;  ///< For each state the last character, from 1, before which it was entered.
    std::uint32_t character = 1;
    std::uint64_t steps = 0;
  };

  static bool Takes(const State& state, char32_t character, Run& run);
  void Enter(Index state, Run& run) const;

  std::vector<State> states_;
  Index start_ = kNone;
  std::string literal_prefix_;
};

}  // namespace gcsflux::emulator
