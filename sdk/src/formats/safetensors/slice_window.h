#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "formats/bytes/tensor_layout.h"

// Slices whose rows lie apart from each other in the whole tensor, such as columns.
namespace gcsflux::internal {

/// A slice of a tensor. Both are stored with their last dimension fastest. Borrowed; neither is empty.
struct SliceOfWhole {
  std::span<const std::int64_t> offsets = {};
  std::span<const std::int64_t> shape = {};
  std::span<const std::int64_t> whole_shape = {};
  std::uint64_t element = 1;  ///< Bytes of an element.
};

/// The bytes of the slice that lie within these bytes of the whole: a range, since both have the same order.
FileRange WindowOf(const SliceOfWhole& slice, FileRange wanted);

/// Copies that window, `bytes`, to its places in the wanted bytes of the whole, `into`.
void PlaceWindow(const SliceOfWhole& slice, FileRange window, std::span<const std::byte> bytes, FileRange wanted,
                 std::span<std::byte> into);

}  // namespace gcsflux::internal
