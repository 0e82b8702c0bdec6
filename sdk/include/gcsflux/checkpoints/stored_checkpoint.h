#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_format.h"
#include "gcsflux/checkpoints/safetensors.h"
#include "gcsflux/checkpoints/torch_file.h"

namespace gcsflux {

namespace internal {
class SafetensorsFiles;
}  // namespace internal

/// Opens files in the folder of an index, in this order: "model-00001-of-00002.safetensors".
using OpenShards = std::function<Result<std::vector<ByteSource>>(std::span<const std::string> files)>;

/// A checkpoint of any supported format, without its tensors' bytes: a file of torch.save, an archive of libtorch, or
/// safetensors in one file or, by an index, in many. OpenCheckpoint() opens one by its URI.
///
/// In safetensors each tensor has its own storage; slices that PyTorch DCP saved are joined. For errors, memory and
/// threads see TorchFile.
class StoredCheckpoint {
 public:
  StoredCheckpoint(const StoredCheckpoint&) = default;  // A move copies, so that it leaves a handle that works.
  StoredCheckpoint& operator=(const StoredCheckpoint&) = default;

  /// The bytes tell the format. Reads both ends of the file at the same time. If that is not enough, reads the rest of
  /// the directory, the pickle or the header: at most three calls of the source that depend on each other. An index
  /// needs `open_shards`.
  static Result<StoredCheckpoint> Open(ByteSource source, const OpenShards& open_shards = {});
  /// Files of safetensors that make one checkpoint without an index: the shards that PyTorch DCP saves.
  static Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files);
  /// The same with known headers, one for each file. A header has only those tensors of its file that belong to the
  /// checkpoint. Makes no read.
  static Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files,
                                                       std::vector<SafetensorsHeader> headers);
  StoredCheckpoint(TorchFile file);  // NOLINT(google-explicit-constructor): it is one.

  [[nodiscard]] CheckpointFormat format() const;
  /// Name of the file that was opened.
  [[nodiscard]] const std::string& name() const;
  /// Size of all files, in bytes.
  [[nodiscard]] std::uint64_t size() const;

  /// In the order of the file; for an index by name.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const;
  [[nodiscard]] const std::vector<StoredStorage>& storages() const;
  [[nodiscard]] const std::vector<RefusedValue>& refused() const;
  /// Returns kNotFound, kUndecodable if the tensor is refused, or kInvalidArgument if two values have this name.
  [[nodiscard]] Result<StoredTensor> Find(std::string_view name) const;

  /// As TorchFile::ReadStorages(), with one ByteSource::read_all() for each file. If the file has a checksum of a
  /// storage or slice that is read whole, the bytes are compared with it.
  Result<void> ReadStorages(std::span<const StorageRead> reads) const;
  Result<void> ReadTensors(std::span<const TensorRead> reads) const;
  Result<void> ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const;
  /// Gives a storage's bytes in order, in pieces of at most 32 MiB. If the bytes do not match the storage's checksum,
  /// it returns kCorrupted after the last piece.
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const;

  /// Whether the file has a checksum of this storage.
  [[nodiscard]] bool IsVerifiable(std::size_t storage) const;
  /// The file's CRC32C of a storage; safetensors only.
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(std::size_t storage) const;
  /// Compares all bytes of all files with the checksums that their store keeps, and returns whether it keeps any: yes
  /// for objects, no for local files.
  [[nodiscard]] Result<bool> VerifyWhole() const;
  /// The metadata of all files; safetensors only.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const;
  /// The value of this name with all that it contains, as TorchFile::ReadValue(); "" is the whole. For safetensors,
  /// reads what CheckpointRun wrote into the metadata. Returns kNotFound if there is no such value, and kUndecodable
  /// for other safetensors, which hold only tensors.
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name = {}) const;
  /// Whether ReadValue() finds the whole.
  [[nodiscard]] bool HasValues() const;
  /// The other content of a file of torch.save or libtorch. Null for safetensors.
  [[nodiscard]] const TorchFile* torch_file() const;

 private:
  struct Contents;
  explicit StoredCheckpoint(std::shared_ptr<const Contents> contents);
  static StoredCheckpoint OfSafetensors(std::string name, internal::SafetensorsFiles files);
  static Result<StoredCheckpoint> OpenIndex(const ByteSource& source, const OpenShards& open_shards);

  std::shared_ptr<const Contents> contents_;
};

/// Rows [begin, end) of a tensor, for a separate read. Returns nothing if the tensor has fewer rows.
std::optional<StoredTensor> RowsOf(const StoredTensor& tensor, std::int64_t begin, std::int64_t end);

/// The bytes of a tensor's elements, without the bytes between them.
std::uint64_t TensorBytes(const TensorLayout& layout);

}  // namespace gcsflux
