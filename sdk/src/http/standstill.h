#pragma once

#include <chrono>

#include "http/transport.h"

namespace gcsflux::internal {

/// Tells when an exchange has moved no byte for too long. libcurl's own watch goes by the speed of the last five
/// seconds, and so comes six seconds late.
class Standstill {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Standstill(std::chrono::nanoseconds limit, Time now) : limit_(limit), last_move_(now) {}

  /// How much longer it may stand still, given what it has moved so far; not above 0 where it has for too long.
  std::chrono::nanoseconds Left(const Movement& moved, Time now) {
    const bool has_moved = moved.bytes_sent != moved_.bytes_sent || moved.bytes_received != moved_.bytes_received ||
                           moved.first_byte.has_value() != moved_.first_byte.has_value();
    if (has_moved) last_move_ = now;
    moved_ = moved;
    return limit_ - (now - last_move_);
  }

 private:
  const std::chrono::nanoseconds limit_;
  Movement moved_;
  Time last_move_;
};

}  // namespace gcsflux::internal
