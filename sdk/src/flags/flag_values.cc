#include "flags/flag_values.h"

#include <cmath>

namespace gcsflux::internal {

Result<std::chrono::milliseconds> MillisecondsOfFlag(const std::string& flag, double seconds, double least) {
  constexpr double kMost = 365.0 * 24 * 3600;
  if (!(seconds >= least && seconds <= kMost)) {
    return WrongFlag("flag --" + flag + " must be from " + (least > 0 ? "0.001" : "0") + " to 31536000 seconds");
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace gcsflux::internal
