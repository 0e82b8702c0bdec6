#pragma once

#include <chrono>
#include <cstddef>

namespace gcsflux::emulator {

/// Tells a slow client from one that only holds its connection: it must move bytes in every `patience` spent waiting
/// for it. Only waiting counts, so the server may take as long as it likes for an answer.
class Pace {
 public:
  explicit Pace(std::chrono::nanoseconds patience) : patience_(patience) {}

  /// From now on at least `bytes` must arrive or leave in a `patience` of waiting. 0 lets the client wait without
  /// limit.
  void Expect(std::size_t bytes);

  /// Counts a call that waited and moved some bytes. Returns false if the client is too slow.
  [[nodiscard]] bool Keeps(std::chrono::nanoseconds waited, std::size_t moved);

 private:
  std::chrono::nanoseconds patience_;
  std::size_t expected_ = 0;
  std::chrono::nanoseconds waited_{0};  // since the last look
  std::size_t moved_ = 0;               // since then
};

}  // namespace gcsflux::emulator
