#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/bytes/tensor_layout.h"
#include "formats/pickle/pickled_value.h"
#include "formats/safetensors/safetensors.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux {

/// The bytes of one or several tensors.
struct StoredStorage {
  std::string key = {};
  std::uint64_t bytes = 0;
};

/// A storage, and the memory to fill with it.
struct StorageRead {
  std::size_t storage = 0;
  std::span<std::byte> into = {};
};

}  // namespace gcsflux

namespace gcsflux::internal {

/// Bytes of a storage, and the memory for them.
struct StorageRange {
  std::size_t storage = 0;
  FileRange range = {};
  std::span<std::byte> into = {};
};

/// An opened checkpoint of one format, behind StoredCheckpoint. A format is one class. Thread-safe if its sources are.
class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;

  [[nodiscard]] virtual CheckpointFormat format() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::span<const ByteSource> files() const = 0;
  [[nodiscard]] virtual const std::vector<StoredTensor>& tensors() const = 0;
  [[nodiscard]] virtual const std::vector<StoredStorage>& storages() const = 0;
  [[nodiscard]] virtual const std::vector<RefusedValue>& refused() const = 0;
  [[nodiscard]] virtual const std::vector<std::pair<std::string, std::string>>& metadata() const = 0;

  /// The record of a file that has its values, for messages. Empty if the format has none.
  [[nodiscard]] virtual std::string values_record() const { return {}; }
  /// Whether ReadValue() finds the whole.
  [[nodiscard]] virtual bool HasValues() const = 0;
  /// A refused value within it appears as Refused. The errors are those of StoredCheckpoint::ReadValue().
  [[nodiscard]] virtual Result<pickled::Value> ReadValue(std::string_view name = {}) const = 0;

  /// Whether the file has a checksum of this storage.
  [[nodiscard]] virtual bool IsVerifiable(std::size_t storage) const = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> Crc32c(std::size_t storage) const = 0;
  /// Fills memory that has the ranges' lengths, as ReadTensors() does. The ranges lie in their storages.
  virtual Result<void> ReadRanges(std::span<const StorageRange> reads) const = 0;
  /// Gives a storage's bytes in order, in chunks of at most 32 MiB. If the bytes do not match the storage's checksum,
  /// returns kCorrupted after the last chunk.
  virtual Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const = 0;

  /// As StoredCheckpoint::ReadTensors().
  Result<void> ReadTensors(std::span<const TensorRead> reads) const;
  /// Whole storages in the same way.
  Result<void> ReadStorages(std::span<const StorageRead> reads) const;
};

/// Opens files in the folder of an index, in this order: "model-00001-of-00002.safetensors". `reads_heads`: the first
/// bytes of each are read at the same time.
using OpenShards = std::function<Result<std::vector<ByteSource>>(std::span<const std::string> files, bool reads_heads)>;

/// As StoredCheckpoint::Open(), also for an index, and for .metadata of a distributed checkpoint.
Result<StoredCheckpoint> OpenFileOrIndex(ByteSource source, const OpenShards& open_shards);
/// Files of safetensors that make one checkpoint without an index: the shards that PyTorch DCP saves.
Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files);
/// The same with known headers, one for each file. A header has only those tensors of its file that belong to the
/// checkpoint. Makes no read.
Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files,
                                              std::vector<SafetensorsHeader> headers);

/// Detects the format from a file's first bytes; 64 bytes are enough. Every zip archive is kOtherZip here, because only
/// its directory tells which program wrote it.
CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes);

}  // namespace gcsflux::internal
