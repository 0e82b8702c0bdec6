#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

namespace gcsflux::cli {

/// A pattern that this process matches, by the rules of matchGlob: * and ? stop at a slash, ** does not, [a-z] and
/// [!a-z] are one character, {a,b} is either. A character is one of UTF-8.
class Glob {
 public:
  /// kInvalidArgument if a bracket or a brace is not closed, or if the braces mean more than 1,000 patterns.
  static Result<Glob> Parse(std::string_view pattern);

  [[nodiscard]] bool Matches(std::string_view text) const;

 private:
  std::vector<std::string> patterns_ = {};  // Without braces: one of them matches.
};

}  // namespace gcsflux::cli
