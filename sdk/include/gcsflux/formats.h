#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/object_reader.h"
#include "gcsflux/result.h"

// Checkpoint files without libtorch: which tensors they hold, the shapes and types, and their places in the file.
// checkpoints/torch_file.h reads and writes the files of torch.save, checkpoints/safetensors.h those of safetensors.
namespace gcsflux {

/// The type of a tensor's elements. libtorch 1.13 lacks the last ones: gcsflux shows them, but cannot make tensors of
/// them.
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

/// PyTorch's name: "float32", "bfloat16".
std::string_view DTypeName(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);
/// Bytes of one element; at least 1.
std::size_t ElementBytes(DType dtype);

/// The checksum of each of several reads; empty if they were not summed.
using ReadSums = std::vector<std::uint32_t>;

/// The source of a file's bytes: a local file, an object of Cloud Storage, or memory.
struct ByteSource {
  std::string name = {};  ///< For messages: a path or a URI.
  std::uint64_t size = 0;
  /// Fills all of `into` from `offset` on. The range lies within `size`. Called by one thread at a time.
  std::function<Result<void>(std::uint64_t offset, std::span<std::byte> into)> read_at = {};
  /// Does several reads, at the same time if that is faster. Without it, read_at does them one after the other. Set it
  /// for sources with a latency: then one call reads a whole module. If `sum` names a checksum, it may return that of
  /// each read's bytes, summed as they come; if it returns none, the caller sums them afterwards.
  std::function<Result<ReadSums>(std::span<const RangeRead> reads, std::optional<Checksum> sum)> read_all = {};
  /// Compares all bytes with the checksum that their store keeps, such as an object's CRC32C. Returns kCorrupted if
  /// they differ. Absent if the store has no checksum.
  std::function<Result<void>()> verify_whole = {};
};

/// Reads with `read_all`, or if it is absent with read_at for each.
Result<void> ReadAll(const ByteSource& source, std::span<const RangeRead> reads);

/// A source over bytes in memory, which must outlive it.
ByteSource SourceOf(std::string name, std::span<const std::byte> bytes);

/// Takes bytes in order. If it fails, the writer stops and returns its error. client.h declares the same type.
using ByteSink = std::function<Result<void>(std::span<const std::byte> bytes)>;

/// Bytes [begin, end) of a file.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
  friend bool operator==(const FileRange&, const FileRange&) = default;
};

/// The layout of a tensor in its storage. Several tensors may share a storage.
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

/// The number of elements. Nothing if it overflows or a dimension is negative.
std::optional<std::uint64_t> ElementCount(std::span<const std::int64_t> shape);

/// The strides of a tensor whose elements follow each other, with the last dimension fastest.
std::vector<std::int64_t> ContiguousStrides(std::span<const std::int64_t> shape);

/// The bytes of its storage that a tensor touches, from its first element to its last one; empty for a tensor without
/// elements, whatever its offset is. Nothing if they do not lie within `storage_bytes`, a size or stride is negative,
/// or a number overflows.
std::optional<FileRange> TouchedBytes(const TensorLayout& layout, std::uint64_t storage_bytes);

}  // namespace gcsflux
