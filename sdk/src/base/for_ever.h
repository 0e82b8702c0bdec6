#pragma once

#include <algorithm>
#include <chrono>

// Durations as callers give them. What they are added to, and what they are converted to, would overflow.
namespace gcsflux::internal {

/// A century. It can be added to any date and to any time of a clock, more than once.
inline constexpr std::chrono::nanoseconds kForEver = std::chrono::hours(100LL * 365 * 24);

/// The duration, which means for ever where it is longer than a century: every time_point + duration of a caller's
/// goes through it.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds InNanoseconds(std::chrono::duration<Rep, Period> duration) {
  using Given = std::chrono::duration<Rep, Period>;
  if (duration >= std::chrono::duration_cast<Given>(kForEver)) return kForEver;
  if (duration <= std::chrono::duration_cast<Given>(-kForEver)) return -kForEver;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration);
}

}  // namespace gcsflux::internal
