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
  const auto text = [](double bound) { return std::to_string(static_cast<std::int64_t>(bound)); };
  if (std::isinf(range.most)) return "at least " + text(range.least);
  return "from " + text(range.least) + " to " + text(range.most);
}

Result<void> CheckInRange(std::string_view name, const OptionRange& range, double value) {
  if (value >= range.least && value <= range.most) return {};
  return Error{ErrorCode::kInvalidArgument, std::string(name) + " must be " + RangeText(range)};
}

}  // namespace gcsflux::internal
