#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/arguments/glob.h"
#include "gcsflux/result.h"

namespace gcsflux::cli {

/// Which of the files or objects below a directory, or of those that match a wildcard, a command is for: --include,
/// --exclude, --newer_than, --larger_than and --smaller_than. What the user names is not filtered.
class Filter {
 public:
  /// kInvalidArgument if a flag cannot be read; the message names it.
  static Result<Filter> FromFlags();

  [[nodiscard]] bool Takes(std::string_view name, std::uint64_t size,
                           std::chrono::system_clock::time_point modified) const;
  /// `name` is below the directory or prefix. A pattern without a slash is compared with its last component.
  [[nodiscard]] bool TakesName(std::string_view name) const;

 private:
  struct Pattern {
    Glob glob;
    bool is_of_path = false;  // It has a slash.
  };

  static Result<std::vector<Pattern>> PatternsOf(std::string_view flag, std::string_view value);
  static bool HasMatch(const std::vector<Pattern>& patterns, std::string_view name);

  std::vector<Pattern> included_ = {};  // Empty: all.
  std::vector<Pattern> excluded_ = {};
  std::optional<std::chrono::system_clock::time_point> newer_than_ = {};
  std::optional<std::uint64_t> larger_than_ = {};
  std::optional<std::uint64_t> smaller_than_ = {};
};

}  // namespace gcsflux::cli
