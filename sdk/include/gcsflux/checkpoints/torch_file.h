#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/checkpoints/pickled_value.h"
#include "gcsflux/formats.h"

namespace gcsflux::internal {
struct ZipEntry;
}

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

/// A checkpoint of torch.save (1.6 to 2.x) or of libtorch's torch::save: what it holds, without its tensors' bytes.
///
/// No code in it is executed and no name in it is resolved. Values of the types that PyTorch writes are read. Other
/// values are refused by name, and the rest can still be read. Opening reads the archive's directory and its pickle, in
/// two or three reads that depend on each other (StoredCheckpoint reads both ends of the file at once). For a file of n
/// bytes it uses at most 16 n + 16 MiB of memory. All errors name the file, the record and the byte: kUndecodable,
/// kCorrupted, and the errors of the source. A copy shares what was read. Thread-safe if the source is.
class TorchFile {
 public:
  TorchFile(const TorchFile&) = default;  // A move copies, so that it leaves a handle that works.
  TorchFile& operator=(const TorchFile&) = default;

  /// Opens a file of torch.save. The older format, TorchScript's files and those of big-endian machines are recognised:
  /// the error says what to do.
  static Result<TorchFile> Open(ByteSource source);

  /// Opens a file of libtorch: torch::save of modules and optimizers, OutputArchive, and the data of TorchScript
  /// without its code. Names are the attributes' names.
  static Result<TorchFile> OpenLibtorchArchive(ByteSource source);

  /// Opens either of them.
  static Result<TorchFile> OpenAny(ByteSource source);
  [[nodiscard]] bool is_libtorch_archive() const;
  [[nodiscard]] const ByteSource& source() const;

  /// In the order of the file. If a tensor occurs twice, it has two names.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const;
  [[nodiscard]] const std::vector<StoredStorage>& storages() const;
  [[nodiscard]] const std::vector<RefusedValue>& refused() const;

  /// Returns kNotFound, kUndecodable if the tensor is refused, or kInvalidArgument if two values have this name.
  [[nodiscard]] Result<StoredTensor> Find(std::string_view name) const;

  /// The value of this name with all that it contains; "" is the whole. A refused value within it appears as Refused.
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name = {}) const;

  /// The place of a storage's bytes in the file. Reads 30 bytes and a name.
  [[nodiscard]] Result<FileRange> LocateStorage(std::size_t storage) const;

  /// Fills `into`, which has the storage's length. Returns kCorrupted if the bytes do not match their CRC-32.
  Result<void> ReadStorage(std::size_t storage, std::span<std::byte> into) const;
  /// Reads several storages in one ByteSource::read_all(). If the writer did not align them as PyTorch does, it takes
  /// two.
  Result<void> ReadStorages(std::span<const StorageRead> reads) const;

  /// Gives a storage's bytes in order, in pieces of at most 32 MiB. If the bytes do not match their CRC-32, it returns
  /// kCorrupted after the last piece.
  Result<void> StreamStorage(std::size_t storage, const ByteSink& sink) const;

  /// Fills `into`, which has the length of the tensor's elements, in row-major order for any strides. Reads the bytes
  /// that the tensor touches. If they are the whole storage, they are compared with the CRC-32.
  Result<void> ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const;
  /// Reads several tensors, also in one or two calls. If a tensor's elements do not follow each other in the file, the
  /// bytes that it touches are held beside `into`.
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
