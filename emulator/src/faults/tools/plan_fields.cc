#include "faults/tools/plan_fields.h"

namespace gcsflux::emulator {
namespace {

constexpr std::chrono::hours kLongest{24 * 365};

}  // namespace

std::optional<std::string> CheckRange(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return std::nullopt;
  if (most == UINT64_MAX) return "must be at least " + std::to_string(least);
  return "must be " + std::to_string(least) + " to " + std::to_string(most);
}

std::optional<std::string> CheckTime(std::chrono::nanoseconds value) {
  if (value >= std::chrono::nanoseconds(0) && value <= kLongest) return std::nullopt;
  return "must be 0 s to a year";
}

}  // namespace gcsflux::emulator
