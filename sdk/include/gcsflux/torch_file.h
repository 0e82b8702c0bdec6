#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/formats.h"
#include "gcsflux/pickled_value.h"

namespace gcsflux::internal {
struct ZipEntry;
}

namespace gcsflux {

/// A tensor of a checkpoint under its name: the keys that lead to it, joined by '.': "model.conv1.weight".
struct StoredTensor {
  std::string name = {};
  TensorLayout layout = {};
};

/// The bytes that one or several tensors lie in.
struct StoredStorage {
  std::string key = {};
  std::uint64_t bytes = 0;
};

/// What a checkpoint holds and is not read, and why.
struct RefusedValue {
  std::string name = {};
  std::string why = {};
};

/// A storage, and the memory that is to hold it.
struct StorageRead {
  std::size_t storage = 0;
  std::span<std::byte> into = {};
};

/// A tensor, and the memory that is to hold its elements.
struct TensorRead {
  const StoredTensor* tensor = nullptr;
  std::span<std::byte> into = {};
};

/// A checkpoint that torch.save wrote (1.6 to 2.x), or libtorch's torch::save: what is in it, without its tensors'
/// bytes.
///
/// Nothing in it is executed and no name in it is resolved: values are read if PyTorch writes them, and refused by name
/// otherwise, while the others can be read. Opening takes the archive's directory and its pickle, in two or three reads
/// that depend on each other (StoredCheckpoint reads both ends of the file at once). Memory for a file of n bytes is at
/// most 16 n + 16 MiB. All errors name the file, the record and the byte: kUndecodable, kCorrupted, and what the source
/// answers. A copy shares what was read. Thread-safe, as far as the source is.
class TorchFile {
 public:
  /// torch.save's file. Its older format, TorchScript's files and those of big-endian machines are told apart: the
  /// error says what to do.
  static Result<TorchFile> Open(ByteSource source);

  /// libtorch's: torch::save of modules and optimizers, OutputArchive, and what TorchScript holds beside its code.
  /// Names are attributes' names.
  static Result<TorchFile> OpenLibtorchArchive(ByteSource source);

  /// Either of them.
  static Result<TorchFile> OpenAny(ByteSource source);
  [[nodiscard]] bool is_libtorch_archive() const;
  [[nodiscard]] const ByteSource& source() const;

  /// In the file's order. A tensor that is there twice has two names.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const;
  [[nodiscard]] const std::vector<StoredStorage>& storages() const;
  [[nodiscard]] const std::vector<RefusedValue>& refused() const;

  /// kNotFound; kUndecodable where it is refused; kInvalidArgument where two values have this name.
  [[nodiscard]] Result<StoredTensor> Find(std::string_view name) const;

  /// The value of this name with all it holds; "" is the whole. What is refused within it stands there as Refused.
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name = {}) const;

  /// Where a storage's bytes are in the file; reads 30 bytes and a name.
  [[nodiscard]] Result<FileRange> LocateStorage(std::size_t storage) const;

  /// Fills `into`, which has the storage's length. kCorrupted where the bytes do not have their CRC-32.
  Result<void> ReadStorage(std::size_t storage, std::span<std::byte> into) const;
  /// Several, in one ByteSource::read_all(), or two where the writer did not align them as PyTorch does.
  Result<void> ReadStorages(std::span<const StorageRead> reads) const;

  /// Gives a storage's bytes in order, in pieces of at most 32 MiB. Behind the last one: kCorrupted where they do not
  /// have their CRC-32.
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const;

  /// Fills `into` with the tensor's elements, last dimension first, whatever its strides; it has their length. Reads
  /// what the tensor touches; the CRC-32 is compared where that is the whole storage.
  Result<void> ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const;
  /// Several, likewise in one or two. What a tensor touches is held beside `into` where its elements do not
  /// follow each other in the file.
  Result<void> ReadTensors(std::span<const TensorRead> reads) const;

 private:
  struct Contents;
  enum class Kind : std::uint8_t;
  explicit TorchFile(std::shared_ptr<const Contents> contents);
  static Result<TorchFile> OpenAs(std::optional<Kind> kind, ByteSource source);
  static Result<void> FillIndex(Contents& contents, const std::string& prefix);
  [[nodiscard]] Result<const internal::ZipEntry*> RecordOf(std::size_t storage) const;
  [[nodiscard]] Result<FileRange> CheckedTouch(const TensorRead& read, std::uint64_t storage_bytes) const;

  std::shared_ptr<const Contents> contents_;
};

/// What is to become a file of torch.save: `root`'s tensors name their storages by index.
struct TorchFileContents {
  pickled::Value root = {};
  std::vector<std::uint64_t> storage_bytes = {};  ///< The length of each storage.
};

/// Gives the bytes of a storage, in order, in pieces of any length; together they have the storage's length.
using StorageWriter = std::function<Result<void>(std::size_t storage, const ByteSink& sink)>;

/// Writes a file that torch.load() reads, with weights_only=True too, in one go and without looking back: each storage
/// is asked for once, and its bytes go to `sink` as they come, aligned to 64 bytes in the file.
///
/// kInvalidArgument where a value has no form there: a refused one, a type without a storage class of PyTorch 1.13,
/// tensors of two types in one storage, a tensor that leaves its storage, more than 256 levels.
Result<void> WriteTorchFile(const TorchFileContents& contents, const StorageWriter& write_storage,
                            const ByteSink& sink);

/// The length that the file will have.
Result<std::uint64_t> TorchFileBytes(const TorchFileContents& contents);

}  // namespace gcsflux
