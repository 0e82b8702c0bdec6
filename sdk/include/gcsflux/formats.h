#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/range_read.h"
#include "gcsflux/result.h"

// Checkpoint files without libtorch: what is in them, of which shape and type, and at which bytes. torch_file.h reads
// and writes torch.save's files, safetensors.h those of safetensors.
namespace gcsflux {

/// The type of a tensor's elements. The last ones are not in libtorch 1.13; they are told, but cannot become its
/// tensors.
enum class DType : std::uint8_t {
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex32,
  kComplex64,
  kComplex128,
  kUint16,
  kUint32,
  kUint64,
  kFloat8E4m3fn,
  kFloat8E4m3fnuz,
  kFloat8E5m2,
  kFloat8E5m2fnuz,
  kFloat8E8m0fnu,
};

/// As PyTorch says it: "float32", "bfloat16".
std::string_view DTypeName(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);
/// Of one element; at least 1.
std::size_t ElementBytes(DType dtype);

/// Where a file's bytes come from: a local file, an object of Cloud Storage, memory.
struct ByteSource {
  std::string name = {};  ///< For messages: a path or a URI.
  std::uint64_t size = 0;
  /// Fills all of `into` from `offset` on. What is asked for lies within `size`. Called by one thread at a time.
  std::function<Result<void>(std::uint64_t offset, std::span<std::byte> into)> read_at = {};
  /// Does several reads, at the same time where that is faster. Absent: one after the other by read_at. Set it for
  /// sources with a latency: whole modules are then read in one call.
  std::function<Result<void>(std::span<const RangeRead> reads)> read_all = {};
  /// Compares all bytes with a checksum that their store has of them, an object's CRC32C; kCorrupted. Absent: it has
  /// none.
  std::function<Result<void>()> verify_whole = {};
};

/// By `read_all`, or by read_at for each.
Result<void> ReadAll(const ByteSource& source, std::span<const RangeRead> reads);

/// A source over bytes that outlive it.
ByteSource SourceOf(std::string name, std::span<const std::byte> bytes);

/// Where bytes go, in order. A failure ends the writing and is what the writer returns. client.h has the same type.
using ByteSink = std::function<Result<void>(std::span<const std::byte> bytes)>;

/// Bytes [begin, end) of a file.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  friend bool operator==(const FileRange&, const FileRange&) = default;
};

/// How a tensor lies in its storage. Several tensors may share one.
struct TensorLayout {
  DType dtype = DType::kFloat32;
  bool requires_grad = false;
  bool is_parameter = false;               ///< A torch.nn.Parameter.
  std::size_t storage = 0;                 ///< Index among the file's storages.
  std::uint64_t offset = 0;                ///< Of the first element in the storage, in elements.
  std::vector<std::int64_t> shape = {};    ///< Empty for a scalar.
  std::vector<std::int64_t> strides = {};  ///< In elements, one for each dimension; not negative.

  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

/// The number of elements; nothing where it overflows or a dimension is negative.
std::optional<std::uint64_t> ElementCount(std::span<const std::int64_t> shape);

/// The strides of a tensor whose elements follow each other, last dimension first.
std::vector<std::int64_t> ContiguousStrides(std::span<const std::int64_t> shape);

/// The bytes of its storage that a tensor touches, from its first element to its last one; empty where it has no
/// element. Nothing where they do not lie within `storage_bytes`, a size or stride is negative, or a number overflows.
std::optional<FileRange> TouchedBytes(const TensorLayout& layout, std::uint64_t storage_bytes);

}  // namespace gcsflux
