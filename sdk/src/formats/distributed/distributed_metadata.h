#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/bytes/tensor_layout.h"
#include "gcsflux/formats.h"

// The file .metadata of PyTorch's distributed checkpoints (torch.distributed.checkpoint): a pickle that tells which
// files hold which slices of which tensors.
namespace gcsflux::internal {

/// The name of that file in the checkpoint's folder.
inline constexpr char kDistributedMetadata[] = ".metadata";
/// The ending of the other files.
inline constexpr char kDistributedSuffix[] = ".distcp";

/// Bytes of a file: a tensor, or another value, as torch.save writes it.
struct DistributedItem {
  std::size_t file = 0;  ///< Index among the files.
  FileRange range = {};
};

/// A slice of a tensor.
struct DistributedChunk {
  std::vector<std::int64_t> offsets = {};
  std::vector<std::int64_t> sizes = {};
  DistributedItem item = {};
};

struct DistributedTensor {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
  std::vector<DistributedChunk> chunks = {};  ///< They hold each element once. After parsing, those with elements.
};

/// A value that is not a tensor.
struct DistributedValue {
  std::string name = {};
  DistributedItem item = {};
};

/// A key of a dictionary, or an index of a list.
using PathStep = std::variant<std::string, std::int64_t>;

/// Where a tensor or value lies in the nested dictionary that was saved.
struct DistributedPath {
  std::string name = {};
  std::vector<PathStep> steps = {};
};

struct DistributedMetadata {
  std::vector<std::string> files = {};  ///< Sorted; all in the folder of .metadata, or below it.
  std::vector<DistributedTensor> tensors = {};
  std::vector<DistributedValue> values = {};
  std::vector<RefusedValue> refused = {};
  /// Of all tensors and values, in the order of the file. Empty if the writer did not tell.
  std::vector<DistributedPath> paths = {};
};

/// Whether a file begins as .metadata does. Its first 64 bytes are enough.
bool IsDistributedMetadata(std::string_view first_bytes);

/// Parses the pickle. Nothing in it is executed, and no name in it is resolved. For n bytes, uses at most
/// 24 n + 16 MiB of memory. `file` is for messages. Returns kUndecodable if it is cut, has another form than PyTorch
/// writes, or contradicts itself:
/// - a slice has no place in a file, or lies outside of its tensor; slices overlap, or leave a hole;
/// - an item is shorter than the elements that it should hold, or two of them share bytes of a file;
/// - a name is there twice, or a file lies outside of the folder.
/// Tensors of types that gcsflux does not read, and what an extension transformed (compressed), are refused by name.
Result<DistributedMetadata> ParseDistributedMetadata(std::string pickle, const std::string& file);

/// The pickle that torch.distributed.checkpoint.load() reads. Here a tensor without elements has a chunk too. Returns
/// kInvalidArgument if a name is not UTF-8.
Result<std::string> FormatDistributedMetadata(const DistributedMetadata& metadata);

}  // namespace gcsflux::internal
