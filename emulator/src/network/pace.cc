#include "network/pace.h"

namespace gcsflux::emulator {

void Pace::Expect(std::size_t bytes) {
  expected_ = bytes;
  waited_ = std::chrono::nanoseconds(0);
  moved_ = 0;
}

bool Pace::Keeps(std::chrono::nanoseconds waited, std::size_t moved) {
  waited_ += waited;
  moved_ += moved;
  if (waited_ < patience_) return true;
  const bool is_enough = moved_ >= expected_;
  Expect(expected_);
  return is_enough;
}

}  // namespace gcsflux::emulator
