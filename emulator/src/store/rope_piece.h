#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "store/computed_bytes.h"
#include "store/segment.h"

namespace gcsflux::emulator {

/// Bytes somewhere in a segment.
struct StoredRun {
  Segment segment = {};
  const std::byte* first = nullptr;
};

/// Bytes that are computed when they are read.
struct ComputedRun {
  std::shared_ptr<const ComputedBytes> bytes = {};
  std::uint64_t offset = 0;  ///< Of the first one.
};

/// What a rope is made of.
struct RopePiece {
  std::variant<StoredRun, ComputedRun> run = {};
  std::uint64_t size = 0;
};

struct RopePieces {
  std::vector<RopePiece> list = {};
  std::uint64_t size = 0;  ///< Of all.
};

}  // namespace gcsflux::emulator
