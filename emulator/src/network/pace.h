#pragma once

#include <chrono>
#include <cstddef>

namespace gcsflux::emulator {

/// Tells a slow client from one that only holds its connection: of every `patience` that is spent waiting for it, it
/// has to make use. Only waiting counts, so that answers may take the server as long as they like.
class Pace {
 public:
  explicit Pace(std::chrono::nanoseconds patience) : patience_(patience) {}

  /// From now on at least `bytes` have to come or go in a `patience` of waiting; 0 lets the client wait for ever.
  void Expect(std::size_t bytes);

  /// Counts a call that waited and moved some bytes. False where the client is too slow.
  [[nodiscard]] bool Keeps(std::chrono::nanoseconds waited, std::size_t moved);

 private:
  std::chrono::nanoseconds patience_;
  std::size_t expected_ = 0;
  std::chrono::nanoseconds waited_{0};  // since the last look
  std::size_t moved_ = 0;               // since then
};

}  // namespace gcsflux::emulator
