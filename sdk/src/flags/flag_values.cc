#include "flags/flag_values.h"

#include <cassert>
#include <cmath>

#include "base/option_range.h"

namespace gcsflux::internal {

Result<void> CheckFlag(const std::string& flag, double value) {
  const OptionRange* const range = FindRange(flag);
  assert(range != nullptr);
  return CheckInRange("flag --" + flag, *range, value);
}

Result<std::chrono::milliseconds> MillisecondsOfFlag(const std::string& flag, double seconds, double least) {
  constexpr double kMost = 365.0 * 24 * 3600;
  if (!(seconds >= least && seconds <= kMost)) {
    return WrongFlag("flag --" + flag + " must be from " + (least > 0 ? "0.001" : "0") + " to 31536000 seconds");
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace gcsflux::internal
