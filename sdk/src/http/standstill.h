#pragma once

#include <chrono>

#include "http/transport.h"

namespace gcsflux::internal {

/// Detects that no byte of an exchange has moved for too long. libcurl's own check uses the speed of the last five
/// seconds, and so it reacts six seconds late.
class Standstill {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Standstill(std::chrono::nanoseconds limit, Time now) : limit_(limit), last_move_(now) {}

  /// How much longer the exchange may be without statistics, given what it has moved so far. 0 or less if the time is
  /// over.
  std::chrono::nanoseconds Left(const TransferStatistics& moved, Time now) {
    const bool has_moved = moved.bytes_sent != moved_.bytes_sent || moved.bytes_received != moved_.bytes_received ||
                           moved.first_byte.has_value() != moved_.first_byte.has_value();
    if (has_moved) last_move_ = now;
    moved_ = moved;
    return limit_ - (now - last_move_);
  }

 private:
  const std::chrono::nanoseconds limit_;
  TransferStatistics moved_;
  Time last_move_;
};

}  // namespace gcsflux::internal
