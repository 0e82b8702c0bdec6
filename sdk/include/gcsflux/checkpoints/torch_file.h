#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/checkpoints/pickled_value.h"
#include "gcsflux/formats.h"

namespace gcsflux {

/// A tensor of a checkpoint and its name. The name joins the keys that lead to it with '.': "model.conv1.weight".
struct StoredTensor {
  std::string name = {};
  TensorLayout layout = {};
};

/// The bytes of one or several tensors.
struct StoredStorage {
  std::string key = {};
  std::uint64_t bytes = 0;
};

/// A value of a checkpoint that gcsflux does not read, and the reason.
struct RefusedValue {
  std::string name = {};
  std::string why = {};
};

/// A storage, and the memory to fill with it.
struct StorageRead {
  std::size_t storage = 0;
  std::span<std::byte> into = {};
};

/// A tensor, and the memory to fill with its elements.
struct TensorRead {
  const StoredTensor* tensor = nullptr;
  std::span<std::byte> into = {};
};

/// The content of a file of torch.save. The tensors in `root` name their storages by index.
struct TorchFileContents {
  pickled::Value root = {};
  std::vector<std::uint64_t> storage_bytes = {};  ///< The length of each storage.
};

/// Gives the bytes of a storage in order, in pieces of any length. Together they have the storage's length.
using StorageWriter = std::function<Result<void>(std::size_t storage, const ByteSink& sink)>;

/// Writes a file that torch.load() reads, with weights_only=True too, in one pass. Each storage is requested once; its
/// bytes go to `sink` as they come, aligned to 64 bytes in the file.
///
/// Returns kInvalidArgument if a value cannot be written:
/// - a refused value,
/// - a type without a storage class in PyTorch 1.13,
/// - tensors of two types in one storage,
/// - a tensor that exceeds its storage, or
/// - more than 256 levels.
Result<void> WriteTorchFile(const TorchFileContents& contents, const StorageWriter& write_storage,
                            const ByteSink& sink);

/// The length of the file that WriteTorchFile() writes.
Result<std::uint64_t> TorchFileBytes(const TorchFileContents& contents);

}  // namespace gcsflux
