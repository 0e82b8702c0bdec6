#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "store/bytes/computed_bytes.h"
#include "store/bytes/extent.h"
#include "store/bytes/segment.h"

namespace gcsflux::emulator {

/// Bytes within a segment.
struct StoredRun {
  Segment segment = {};
  const std::byte* first = nullptr;
};

/// Bytes that are computed when they are read.
struct ComputedRun {
  std::shared_ptr<const ComputedBytes> bytes = {};
  std::uint64_t offset = 0;  ///< The position of the first one.
};

/// Bytes within an extent.
struct FileRun {
  std::shared_ptr<const Extent> extent = {};
  const std::byte* first = nullptr;
};

/// One run of a rope's bytes.
struct RopePiece {
  std::variant<StoredRun, ComputedRun, FileRun> run = {};
  std::uint64_t size = 0;
};

struct RopeNode;
using RopeTree = std::shared_ptr<const RopeNode>;

/// Two trees, one after the other.
struct RopeFork {
  RopeTree left = {};
  RopeTree right = {};
};

/// A balanced tree of pieces, which never changes. A joined tree shares the trees that it is made of, so bytes that
/// occur many times are kept, and counted, once.
struct RopeNode {
  std::variant<RopePiece, RopeFork> content = {};
  std::uint64_t size = 0;
  int height = 0;  ///< 0 for a piece.
};

/// Neither may be null. Costs O(difference of their heights).
RopeTree JoinTrees(const RopeTree& left, const RopeTree& right);

/// Bytes [offset, offset + length), which must exist and be at least one. Costs O(height).
RopeTree SliceTree(const RopeTree& tree, std::uint64_t offset, std::uint64_t length);

}  // namespace gcsflux::emulator
