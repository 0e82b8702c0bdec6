#include "cli/arguments/filter.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "cli/arguments/duration.h"
#include "cli/arguments/names.h"

DEFINE_string(include, "",
              "Of many, only those that match one of these patterns: '*.jpg,*.png'. A pattern without a slash is "
              "compared with the last part of the name.");
DEFINE_string(exclude, "", "Of many, not those that match one of these patterns; it overrides --include.");
DEFINE_string(newer_than, "", "Of many, only those that changed within this time: 30s, 10m, 1h, 2d.");
DEFINE_string(larger_than, "", "Of many, only those of more bytes: 4096, 10K, 1.5M, 2G (powers of 1024).");
DEFINE_string(smaller_than, "", "Of many, only those of fewer bytes.");

namespace gcsflux::cli {
namespace {

// Splits at commas that are not in braces.
std::vector<std::string_view> SplitPatterns(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && depth > 0) --depth;
    if (text[at] != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  if (!text.empty()) parts.push_back(text.substr(begin));
  return parts;
}

Result<std::optional<std::uint64_t>> SizeOfFlag(const char* flag, std::string_view text) {
  if (text.empty()) return std::optional<std::uint64_t>();
  const Error wrong{ErrorCode::kInvalidArgument, "flag --" + std::string(flag) + ": '" + std::string(text) +
                                                     "' is not a size: write 4096, 10K, 1.5M or 2G"};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view kUnits = "KMGT";
  if (!unit.empty()) {
    const std::size_t power = kUnits.find(unit.front());
    if (power == kUnits.npos) return wrong;
    for (std::size_t i = 0; i <= power; ++i) number *= 1024;
    unit.remove_prefix(1);
  }
  if (error != std::errc() || !(number >= 0) || number >= 0x1p63) return wrong;
  if (!unit.empty() && unit != "B" && unit != "iB") return wrong;
  return std::optional(static_cast<std::uint64_t>(number));
}

}  // namespace

Result<std::vector<Filter::Pattern>> Filter::PatternsOf(std::string_view flag, std::string_view value) {
  std::vector<Pattern> patterns;
  for (const std::string_view text : SplitPatterns(value)) {
    auto glob = Glob::Parse(text);
    if (!glob) {
      return Error{ErrorCode::kInvalidArgument, "flag --" + std::string(flag) + ": " + glob.error().message};
    }
    patterns.push_back({*std::move(glob), text.find('/') != text.npos});
  }
  return patterns;
}

Result<Filter> Filter::FromFlags() {
  Filter filter;
  auto included = PatternsOf("include", FLAGS_include);
  if (!included) return included.error();
  auto excluded = PatternsOf("exclude", FLAGS_exclude);
  if (!excluded) return excluded.error();
  const auto larger = SizeOfFlag("larger_than", FLAGS_larger_than);
  if (!larger) return larger.error();
  const auto smaller = SizeOfFlag("smaller_than", FLAGS_smaller_than);
  if (!smaller) return smaller.error();
  filter.included_ = *std::move(included);
  filter.excluded_ = *std::move(excluded);
  filter.larger_than_ = *larger;
  filter.smaller_than_ = *smaller;
  if (FLAGS_newer_than.empty()) return filter;
  const auto age = DurationOfFlag("newer_than", FLAGS_newer_than);
  if (!age) return age.error();
  filter.newer_than_ = std::chrono::system_clock::now() - *age;
  return filter;
}

bool Filter::HasMatch(const std::vector<Pattern>& patterns, std::string_view name) {
  const std::string last = LastName(name);
  return std::ranges::any_of(
      patterns, [&](const Pattern& pattern) { return pattern.glob.Matches(pattern.is_of_path ? name : last); });
}

bool Filter::TakesName(std::string_view name) const {
  return (included_.empty() || HasMatch(included_, name)) && !HasMatch(excluded_, name);
}

bool Filter::Takes(std::string_view name, std::uint64_t size, std::chrono::system_clock::time_point modified) const {
  if (newer_than_ && modified <= *newer_than_) return false;
  if (larger_than_ && size <= *larger_than_) return false;
  if (smaller_than_ && size >= *smaller_than_) return false;
  return TakesName(name);
}

}  // namespace gcsflux::cli
