#include "base/option_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace gcsflux::internal {

const OptionRange* FindRange(std::string_view flag) {
  const std::size_t kind = flag.find("_retry_");
  if (kind != flag.npos) flag.remove_prefix(kind + 1);
  const auto* const found = std::ranges::find(kOptionRanges, flag, &OptionRange::flag);
  return found == std::end(kOptionRanges) ? nullptr : found;
}

std::string RangeText(const OptionRange& range) {
  const auto text = [](double bound) {
    return bound > 0 && bound < 1 ? "0.001" : std::to_string(static_cast<std::int64_t>(bound));
  };
  const std::string unit = range.flag.ends_with("_s") ? " seconds" : "";
  if (std::isinf(range.most)) return "at least " + text(range.least) + unit;
  return "from " + text(range.least) + " to " + text(range.most) + unit;
}

Result<void> CheckRanges(std::initializer_list<RangedOption> options) {
  for (const auto& [name, range, value] : options) {
    if (value >= range.least && value <= range.most) continue;
    return Error{ErrorCode::kInvalidArgument, std::string(name) + " must be " + RangeText(range)};
  }
  return {};
}

}  // namespace gcsflux::internal
