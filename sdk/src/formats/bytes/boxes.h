#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

// Slices of a tensor, as boxes in its shape.
namespace gcsflux::internal {

/// Where a slice begins in each dimension of the whole, and how long it is there. Borrowed.
struct Box {
  std::span<const std::int64_t> offsets = {};
  std::span<const std::int64_t> sizes = {};
};

/// Whether the box has as many dimensions as the shape, and lies within it.
bool IsWithin(const Box& box, std::span<const std::int64_t> shape);

/// Two boxes that have an element in common, by their indices. All have the same number of dimensions. If so many lie
/// beside each other that it would take more than 2^27 comparisons to know, two of them are taken for such boxes.
std::optional<std::pair<std::size_t, std::size_t>> FindOverlap(std::span<const Box> boxes);

/// Whether the boxes, which lie within the shape, hold each of its elements exactly once.
bool DoTile(std::span<const Box> boxes, std::span<const std::int64_t> shape);

/// For messages: "[4, 2]".
std::string ShownShape(std::span<const std::int64_t> shape);

}  // namespace gcsflux::internal
