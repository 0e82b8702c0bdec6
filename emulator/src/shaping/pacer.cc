#include "shaping/pacer.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::emulator {
namespace {

constexpr double kLongestTransfer = 3e18;  // nanoseconds, about a century: a time can still be added to it

}  // namespace

Clock::Time Pacer::Reserve(Clock::Time now, std::uint64_t bytes, double bytes_per_second) {
  const Clock::Time at = next_ + kMaxCatchUp < now ? now : next_;
  const double takes = std::min(static_cast<double>(bytes) * 1e9 / bytes_per_second, kLongestTransfer);
  next_ = at + std::chrono::nanoseconds(std::llround(takes));
  return at;
}

}  // namespace gcsflux::emulator
