#pragma once

#include <algorithm>
#include <chrono>

// Durations that callers give. Sums and conversions of them could overflow.
namespace gcsflux::internal {

/// A century. It can be added to any date and to any time of a clock, more than once.
inline constexpr std::chrono::nanoseconds kNoTimeLimit = std::chrono::hours(100LL * 365 * 24);

/// The duration; if it is longer than a century, it means no limit. Every time_point + duration of a caller uses it.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds InNanoseconds(std::chrono::duration<Rep, Period> duration) {
  using Given = std::chrono::duration<Rep, Period>;
  if (duration >= std::chrono::duration_cast<Given>(kNoTimeLimit)) return kNoTimeLimit;
  if (duration <= std::chrono::duration_cast<Given>(-kNoTimeLimit)) return -kNoTimeLimit;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration);
}

}  // namespace gcsflux::internal
