#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gcsflux {

/// Bytes that are to be read: as many as `into` has, from `offset` on.
struct RangeRead {
  std::uint64_t offset = 0;
  std::span<std::byte> into = {};
};

}  // namespace gcsflux
