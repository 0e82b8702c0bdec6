#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "store/bytes/computed_bytes.h"
#include "store/bytes/segment.h"

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

struct RopeNode;
using RopeTree = std::shared_ptr<const RopeNode>;

/// Two trees, one behind the other.
struct RopeFork {
  RopeTree left = {};
  RopeTree right = {};
};

/// A balanced tree of pieces, which never changes: what is joined shares the trees that it is joined of, so that bytes
/// which come many times over are kept, and counted, once.
struct RopeNode {
  std::variant<RopePiece, RopeFork> content = {};
  std::uint64_t size = 0;
  int height = 0;  ///< 0 for a piece.
};

/// Neither may be null. Costs O(difference of their heights).
RopeTree JoinTrees(const RopeTree& left, const RopeTree& right);

/// Bytes [offset, offset + length) of it, which are within and not none. Costs O(height).
RopeTree SliceTree(const RopeTree& tree, std::uint64_t offset, std::uint64_t length);

}  // namespace gcsflux::emulator
