#pragma once

#include <chrono>
#include <cstdint>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// Says when bytes may go, so that they go at a rate. Absolute times: a sleep that takes too long is made up for by the
/// next one being shorter. One thread.
class Pacer {
 public:
  /// The time from which on these bytes, which follow all earlier ones, may go; `bytes_per_second` is above 0.
  Clock::Time Reserve(Clock::Time now, std::uint64_t bytes, double bytes_per_second);

 private:
  // Who is behind by more than this was not kept waiting by the pacer, and does not get the time back as a burst; nor
  // does who begins.
  static constexpr std::chrono::milliseconds kMaxCatchUp{50};

  Clock::Time next_ = {};  // when the byte behind the last one reserved may go
};

}  // namespace gcsflux::emulator
