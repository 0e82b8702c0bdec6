#include "formats/bytes/tensor_layout.h"

#include <algorithm>
#include <cstring>

namespace gcsflux {
namespace {

// a * b + c in 64 bits. Nothing if it overflows.
std::optional<std::uint64_t> MultiplyAdd(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t product = 0;
  std::uint64_t sum = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum)) return std::nullopt;
  return sum;
}

bool AnyNegative(std::span<const std::int64_t> numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number < 0; });
}

}  // namespace

std::optional<std::uint64_t> ElementCount(std::span<const std::int64_t> shape) {
  if (AnyNegative(shape)) return std::nullopt;
  // With an empty dimension there are no elements, so the other dimensions must not count as an overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return std::nullopt;
  }
  return count;
}

std::vector<std::int64_t> ContiguousStrides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::uint64_t stride = 1;  // Wraps only if ElementCount() fails, or there is no element.
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

std::optional<FileRange> TouchedBytes(const TensorLayout& layout, std::uint64_t storage_bytes) {
  const std::optional<std::uint64_t> count = ElementCount(layout.shape);
  if (!count || layout.shape.size() != layout.strides.size() || AnyNegative(layout.strides)) return std::nullopt;
  const std::uint64_t element = ElementBytes(layout.dtype);
  if (*count > INT64_MAX / element) return std::nullopt;
  const std::optional<std::uint64_t> begin = MultiplyAdd(layout.offset, element, 0);
  if (*count == 0) {  // PyTorch lets the offset of an empty view lie behind its storage.
    const std::uint64_t place = std::min(begin.value_or(storage_bytes), storage_bytes);
    return FileRange{place, place};
  }
  if (!begin || *begin > storage_bytes) return std::nullopt;
  std::optional<std::uint64_t> last = layout.offset;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    last = MultiplyAdd(static_cast<std::uint64_t>(layout.shape[i] - 1), static_cast<std::uint64_t>(layout.strides[i]),
                       *last);
    if (!last) return std::nullopt;
  }
  const std::optional<std::uint64_t> end = MultiplyAdd(*last, element, element);
  if (!end || *end > storage_bytes) return std::nullopt;
  return FileRange{*begin, *end};
}

void GatherElements(const TensorLayout& layout, std::span<const std::byte> touched, std::span<std::byte> into) {
  const std::size_t element = ElementBytes(layout.dtype);
  const std::size_t dimensions = layout.shape.size();
  std::vector<std::int64_t> at(dimensions, 0);
  std::size_t place = 0;  // In elements.
  for (std::size_t written = 0; written < into.size(); written += element) {
    std::memcpy(into.data() + written, touched.data() + place * element, element);
    for (std::size_t i = dimensions; i-- > 0;) {
      const auto stride = static_cast<std::size_t>(layout.strides[i]);
      place += stride;
      if (++at[i] < layout.shape[i]) break;
      place -= stride * static_cast<std::size_t>(layout.shape[i]);
      at[i] = 0;
    }
  }
}

std::optional<StoredTensor> RowsOf(const StoredTensor& tensor, std::int64_t begin, std::int64_t end) {
  const TensorLayout& layout = tensor.layout;
  if (layout.shape.empty() || begin < 0 || begin > end || end > layout.shape.front()) return std::nullopt;
  StoredTensor rows = tensor;
  rows.layout.shape.front() = end - begin;
  if (begin == end) return rows;  // Behind the last row there may be no place.
  rows.layout.offset += static_cast<std::uint64_t>(begin) * static_cast<std::uint64_t>(layout.strides.front());
  return rows;
}

std::uint64_t TensorBytes(const TensorLayout& layout) {
  return ElementCount(layout.shape).value_or(0) * ElementBytes(layout.dtype);
}

}  // namespace gcsflux
