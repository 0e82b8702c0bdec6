#include "store/bytes/rope_piece.h"

#include <algorithm>
#include <utility>

namespace gcsflux::emulator {
namespace {

RopeTree Fork(RopeTree left, RopeTree right) {
  const std::uint64_t size = left->size + right->size;
  const int height = std::max(left->height, right->height) + 1;
  return std::make_shared<const RopeNode>(RopeNode{RopeFork{std::move(left), std::move(right)}, size, height});
}

const RopeFork& ForkOf(const RopeTree& tree) { return std::get<RopeFork>(tree->content); }

// Works like an AVL tree whose values are its leaves: the heights of `left` and `right` differ by at most 2.
RopeTree Balance(const RopeTree& left, const RopeTree& right) {
  if (right->height > left->height + 1) {
    const auto& [inner, outer] = ForkOf(right);
    if (inner->height <= outer->height) return Fork(Fork(left, inner), outer);
    return Fork(Fork(left, ForkOf(inner).left), Fork(ForkOf(inner).right, outer));
  }
  if (left->height > right->height + 1) {
    const auto& [outer, inner] = ForkOf(left);
    if (inner->height <= outer->height) return Fork(outer, Fork(inner, right));
    return Fork(Fork(outer, ForkOf(inner).left), Fork(ForkOf(inner).right, right));
  }
  return Fork(left, right);
}

RopePiece SlicePiece(const RopePiece& piece, std::uint64_t offset, std::uint64_t length) {
  RopePiece part{piece.run, length};
  if (auto* memory = std::get_if<StoredRun>(&part.run)) {
    memory->first += offset;
  } else if (auto* file = std::get_if<FileRun>(&part.run)) {
    file->first += offset;
  } else {
    std::get<ComputedRun>(part.run).offset += offset;
  }
  return part;
}

}  // namespace

RopeTree JoinTrees(const RopeTree& left, const RopeTree& right) {
  if (left->height > right->height + 1) {
    return Balance(ForkOf(left).left, JoinTrees(ForkOf(left).right, right));
  }
  if (right->height > left->height + 1) {
    return Balance(JoinTrees(left, ForkOf(right).left), ForkOf(right).right);
  }
  return Fork(left, right);
}

RopeTree SliceTree(const RopeTree& tree, std::uint64_t offset, std::uint64_t length) {
  if (length == tree->size) return tree;
  if (const auto* piece = std::get_if<RopePiece>(&tree->content)) {
    return std::make_shared<const RopeNode>(RopeNode{SlicePiece(*piece, offset, length), length});
  }
  const auto& [left, right] = ForkOf(tree);
  if (offset >= left->size) return SliceTree(right, offset - left->size, length);
  if (length <= left->size - offset) return SliceTree(left, offset, length);
  const std::uint64_t first = left->size - offset;
  return JoinTrees(SliceTree(left, offset, first), SliceTree(right, 0, length - first));
}

}  // namespace gcsflux::emulator
