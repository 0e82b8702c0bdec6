#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/object.h"
#include "gcsflux/result.h"

// Checkpoint files without libtorch: which tensors they hold, with their types, shapes and places.
// checkpoints/stored_checkpoint.h reads them.
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
/// Bytes of one element; at least 1.
std::size_t ElementBytes(DType dtype);

/// The checksum of each of several reads; empty if they were not summed.
using ReadSums = std::vector<std::uint32_t>;

/// The source of a file's bytes: a local file, an object of Cloud Storage, or memory.
struct ByteSource {
  std::string name = {};   ///< For messages: a path or a URI.
  std::uint64_t size = 0;  ///< In bytes.
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

/// A source over bytes in memory, which must outlive it.
ByteSource SourceOf(std::string name, std::span<const std::byte> bytes);

/// Takes bytes in order. If it fails, the writer stops and returns its error. client.h declares the same type.
using ByteSink = std::function<Result<void>(std::span<const std::byte> bytes)>;

/// The layout of a tensor in its storage. Several tensors may share a storage.
struct TensorLayout {
  DType dtype = DType::kFloat32;           ///< The type of its elements.
  bool requires_grad = false;              ///< As PyTorch stored it; false for safetensors.
  bool is_parameter = false;               ///< A torch.nn.Parameter.
  std::size_t storage = 0;                 ///< Index among the file's storages.
  std::uint64_t offset = 0;                ///< Of the first element in the storage, in elements.
  std::vector<std::int64_t> shape = {};    ///< Empty for a scalar.
  std::vector<std::int64_t> strides = {};  ///< In elements, one for each dimension; not negative.

  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

/// The number of elements. Nothing if it overflows or a dimension is negative.
std::optional<std::uint64_t> ElementCount(std::span<const std::int64_t> shape);

/// A tensor of a checkpoint and its name. The name joins the keys that lead to it with '.': "model.conv1.weight".
struct StoredTensor {
  std::string name = {};     ///< As StoredCheckpoint::Find() takes it.
  TensorLayout layout = {};  ///< Type, shape and place.
};

/// Rows [begin, end) of a tensor, for a separate read. Returns nothing if the tensor has fewer rows.
std::optional<StoredTensor> RowsOf(const StoredTensor& tensor, std::int64_t begin, std::int64_t end);

/// The bytes of a tensor's elements, without the bytes between them.
std::uint64_t TensorBytes(const TensorLayout& layout);

/// A tensor, and the memory to fill with its elements.
struct TensorRead {
  const StoredTensor* tensor = nullptr;  ///< Borrowed; of the checkpoint that reads it.
  std::span<std::byte> into = {};        ///< TensorBytes() of its layout.
};

/// A value of a checkpoint that gcsflux does not read, and the reason.
struct RefusedValue {
  std::string name = {};  ///< As StoredTensor::name.
  std::string why = {};   ///< For people.
};

/// The format of a checkpoint file. The file's bytes tell the format; its name does not.
enum class CheckpointFormat {
  kUnknown,
  kTorchFile,         ///< torch.save since 1.6.
  kLibtorchArchive,   ///< torch::save, OutputArchive, TorchScript
  kOtherZip,          ///< A zip archive that neither torch.save nor libtorch wrote.
  kSafetensors,       ///< One file, or the files of a folder or of a step.
  kSafetensorsIndex,  ///< The JSON index of a sharded checkpoint, with its files.
  kDistributed,       ///< A folder of torch.distributed.checkpoint: .metadata, and .distcp files.
  kOldTorchFile,  ///< torch.save before 1.6, or with _use_new_zipfile_serialization=False: gcsflux does not read it.
};

/// For messages: "safetensors", "a file of torch.save".
std::string_view FormatName(CheckpointFormat format);

/// Whether it is a file of safetensors or an index of such files.
constexpr bool IsSafetensors(CheckpointFormat format) {
  return format == CheckpointFormat::kSafetensors || format == CheckpointFormat::kSafetensorsIndex;
}

}  // namespace gcsflux
