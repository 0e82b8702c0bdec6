#pragma once

#include <cstddef>
#include <memory>

#include "loop/request_slots.h"

namespace gcsflux::testing {

/// This many slots, each with its own loop: a test's task may block.
inline std::shared_ptr<internal::RequestSlots> MakeSlots(std::size_t count) {
  struct Parts {
    explicit Parts(std::size_t count) : loops(count), slots(loops, count) {}
    internal::EventLoops loops;
    internal::RequestSlots slots;
  };
  auto parts = std::make_shared<Parts>(count);
  return {parts, &parts->slots};
}

}  // namespace gcsflux::testing
