#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gcsflux/formats.h"

namespace gcsflux {

/// Bytes [begin, end) of a file.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  friend bool operator==(const FileRange&, const FileRange&) = default;
};

std::optional<DType> DTypeFromName(std::string_view name);

/// The strides of a tensor whose elements follow each other, with the last dimension fastest.
std::vector<std::int64_t> ContiguousStrides(std::span<const std::int64_t> shape);

/// Whether the elements follow each other.
inline bool IsContiguous(const TensorLayout& layout) { return layout.strides == ContiguousStrides(layout.shape); }

/// The bytes of its storage that a tensor touches, from its first element to its last one; empty for a tensor without
/// elements, whatever its offset is. Nothing if they do not lie within `storage_bytes`, a size or stride is negative,
/// or a number overflows.
std::optional<FileRange> TouchedBytes(const TensorLayout& layout, std::uint64_t storage_bytes);

/// The tensor's elements in row-major order, from the bytes that it touches. Both have the lengths that the layout
/// gives.
void GatherElements(const TensorLayout& layout, std::span<const std::byte> touched, std::span<std::byte> into);

}  // namespace gcsflux
