#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "formats/pickle/pickled_value.h"
#include "gcsflux/formats.h"

namespace gcsflux {

/// The content of a file of torch.save. The tensors in `root` name their storages by index.
struct TorchFileContents {
  pickled::Value root = {};
  std::vector<std::uint64_t> storage_bytes = {};  ///< The length of each storage.
};

/// Gives the bytes of a storage in order, in chunks of any length. Together they have the storage's length.
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

}  // namespace gcsflux
