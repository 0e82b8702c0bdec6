#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux {

/// A read of `into.size()` bytes from `offset` on.
struct RangeRead {
  std::uint64_t offset = 0;
  std::span<std::byte> into = {};
};

}  // namespace gcsflux
