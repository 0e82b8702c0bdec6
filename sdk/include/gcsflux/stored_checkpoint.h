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

#include "gcsflux/checkpoint_format.h"
#include "gcsflux/torch_file.h"

namespace gcsflux {

/// Opens files that lie in the same folder as an index, in this order: "model-00001-of-00002.safetensors".
using OpenShards = std::function<Result<std::vector<ByteSource>>(std::span<const std::string> files)>;

/// A checkpoint of any format that is read, without its tensors' bytes: a file of torch.save, an archive of libtorch,
/// safetensors in one file or, by its index, in many. OpenCheckpoint() opens one by its URI.
///
/// In safetensors each tensor is a storage of its own; slices that PyTorch DCP saved are joined. Errors, memory and
/// threads are as of TorchFile.
class StoredCheckpoint {
 public:
  /// Tells the format by the bytes. Both ends of the file are read at once; then, where that was not enough, the rest
  /// of the directory, of the pickle or of the header: at most three calls of the source that depend on each other.
  /// An index needs `open_shards`.
  static Result<StoredCheckpoint> Open(ByteSource source, const OpenShards& open_shards = {});
  /// Files of safetensors that make one checkpoint without an index: the shards that PyTorch DCP saves.
  static Result<StoredCheckpoint> OpenSafetensorsFiles(std::string name, std::vector<ByteSource> files);
  StoredCheckpoint(TorchFile file);  // NOLINT(google-explicit-constructor): it is one.

  [[nodiscard]] CheckpointFormat format() const;
  /// Of the file that was opened.
  [[nodiscard]] const std::string& name() const;
  /// Of all files, in bytes.
  [[nodiscard]] std::uint64_t size() const;

  /// In the file's order; of an index by name.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const;
  [[nodiscard]] const std::vector<StoredStorage>& storages() const;
  [[nodiscard]] const std::vector<RefusedValue>& refused() const;
  /// kNotFound; kUndecodable where it is refused; kInvalidArgument where two values have this name.
  [[nodiscard]] Result<StoredTensor> Find(std::string_view name) const;

  /// As TorchFile's. Reads by one ByteSource::read_all() for each file. A storage, or slice, that is read whole is
  /// compared with its checksum where the file has one.
  Result<void> ReadStorages(std::span<const StorageRead> reads) const;
  Result<void> ReadTensors(std::span<const TensorRead> reads) const;
  Result<void> ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const;
  /// Gives a storage's bytes in order, in pieces of at most 32 MiB. Behind the last one: kCorrupted where they do not
  /// have the storage's checksum.
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const;

  /// Whether the file has a checksum of this storage.
  [[nodiscard]] bool IsVerifiable(std::size_t storage) const;
  /// The CRC32C of a storage that the file tells; safetensors only.
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(std::size_t storage) const;
  /// Compares all bytes of all files with the checksums that their store has of them, and says whether it has them:
  /// of objects it has, of local files it has not.
  [[nodiscard]] Result<bool> VerifyWhole() const;
  /// Of safetensors, of all files.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const;
  /// What else a file of torch.save or libtorch holds; null for safetensors.
  [[nodiscard]] const TorchFile* torch_file() const;

 private:
  struct Contents;
  explicit StoredCheckpoint(std::shared_ptr<const Contents> contents);
  static Result<StoredCheckpoint> OpenIndex(const ByteSource& source, const OpenShards& open_shards);

  std::shared_ptr<const Contents> contents_;
};

/// Rows [begin, end) of a tensor, to be read alone. Nothing where it has not so many.
std::optional<StoredTensor> RowsOf(const StoredTensor& tensor, std::int64_t begin, std::int64_t end);

/// The bytes of a tensor's elements, without what lies between them.
std::uint64_t TensorBytes(const TensorLayout& layout);

}  // namespace gcsflux
