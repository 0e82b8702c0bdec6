#include "cli/arguments/duration.h"

#include <charconv>
#include <string>

namespace gcsflux::cli {
namespace {

constexpr std::chrono::seconds kMost{100LL * 365 * 86'400};

// Zero if there is no such unit.
std::int64_t SecondsOf(char unit) {
  switch (unit) {
    case 's': return 1;
    case 'm': return 60;
    case 'h': return 3'600;
    case 'd': return 86'400;
    default: return 0;
  }
}

}  // namespace

Result<std::chrono::seconds> ParseDuration(std::string_view text) {
  const Error wrong{ErrorCode::kInvalidArgument,
                    "'" + std::string(text) + "' is not a duration: write 30s, 10m, 1h or 2d"};
  std::chrono::seconds total{0};
  if (text.empty()) return wrong;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || number < 0 || digits == text.size()) return wrong;
    const std::int64_t unit = SecondsOf(text[digits]);
    if (unit == 0 || number > kMost.count() / unit) return wrong;
    total += std::chrono::seconds(number * unit);
    if (total > kMost) return wrong;
    text.remove_prefix(digits + 1);
  }
  return total;
}

Result<std::chrono::seconds> DurationOfFlag(const std::string& flag, std::string_view text) {
  auto duration = ParseDuration(text);
  if (duration) return duration;
  return Error{ErrorCode::kInvalidArgument, "flag --" + flag + ": " + duration.error().message};
}

}  // namespace gcsflux::cli
