#pragma once

#include <chrono>
#include <cstdint>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// Says when bytes may go, so that they keep a rate. Times are absolute: if a sleep takes too long, the next one is
/// shorter. One thread.
class Pacer {
 public:
  /// The time from which these bytes, which follow all earlier ones, may go. `bytes_per_second` is above 0.
  Clock::Time Reserve(Clock::Time now, std::uint64_t bytes, double bytes_per_second);

 private:
  // A stream that is later than this was not held up by the pacer, so it does not get the time back as a burst. Nor
  // does a new stream.
  static constexpr std::chrono::milliseconds kMaxCatchUp{50};

  Clock::Time next_ = {};  // when the byte after the last reserved one may go
};

}  // namespace gcsflux::emulator
