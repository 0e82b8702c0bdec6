#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/formats.h"

namespace gcsflux {

namespace internal {
class CheckpointReader;
}  // namespace internal

/// A checkpoint of any supported format, without its tensors' bytes: a file of torch.save, an archive of libtorch,
/// safetensors in one file or, by an index, in many, or a folder of torch.distributed.checkpoint. OpenCheckpoint()
/// opens one by its URI.
///
/// In safetensors and in distributed checkpoints each tensor has its own storage; slices are joined. No code in a file
/// is executed and no name in it is resolved. Values of the types that PyTorch writes are read. Others are refused by
/// name, and the rest can still be read. All errors name the file, the record and the byte: kUndecodable, kCorrupted,
/// and the errors of the source. Opening a file of n bytes uses at most 16 n + 16 MiB of memory; if it is .metadata of
/// a distributed checkpoint, 24 n + 16 MiB. A copy shares what was read. Thread-safe if the source is.
class StoredCheckpoint {
 public:
  StoredCheckpoint(const StoredCheckpoint&) = default;  // A move copies, so that it leaves a handle that works.
  StoredCheckpoint& operator=(const StoredCheckpoint&) = default;

  /// Opens one file. Its bytes tell the format. Reads both ends of the file at the same time. If that is not enough,
  /// reads the rest of the directory, the pickle or the header: at most three calls of the source that depend on each
  /// other. Returns kUndecodable for an index, which OpenCheckpoint() opens.
  static Result<StoredCheckpoint> Open(ByteSource source);

  [[nodiscard]] CheckpointFormat format() const;  ///< By its bytes.
  /// Name of the file that was opened.
  [[nodiscard]] const std::string& name() const;
  /// Size of all files, in bytes.
  [[nodiscard]] std::uint64_t size() const;

  /// In the order of the file; for an index by name.
  [[nodiscard]] const std::vector<StoredTensor>& tensors() const;
  [[nodiscard]] const std::vector<RefusedValue>& refused() const;  ///< Values that are not read.
  /// Returns kNotFound, kUndecodable if the tensor is refused, or kInvalidArgument if two values have this name.
  [[nodiscard]] Result<StoredTensor> Find(std::string_view name) const;

  /// Fills memory with the tensors' elements in row-major order for any strides, with one ByteSource::read_all() for
  /// each file; two in a distributed checkpoint, or if a file of torch.save is not aligned as PyTorch does it. If the
  /// elements do not follow each other in the file, the bytes that the tensor touches are held beside `into`. If the
  /// file has a checksum of a storage or slice that is read whole, the bytes are compared with it: kCorrupted if they
  /// differ.
  Result<void> ReadTensors(std::span<const TensorRead> reads) const;
  Result<void> ReadTensor(const StoredTensor& tensor, std::span<std::byte> into) const;  ///< One of them.

  /// The value of this name with all that it contains, as JSON; "" is the whole. docs/checkpoint_formats.md says how
  /// the values of Python appear. For safetensors, reads what CheckpointRun wrote into the metadata. Returns kNotFound
  /// if there is no such value, and kUndecodable for a refused value, and for other safetensors, which hold only
  /// tensors.
  [[nodiscard]] Result<std::string> ReadValue(std::string_view name = {}) const;
  /// The metadata of all files; safetensors only.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& metadata() const;

  /// The file's CRC32C of the bytes of a tensor's storage; safetensors only.
  [[nodiscard]] std::optional<std::uint32_t> Crc32c(const StoredTensor& tensor) const;
  /// Compares all bytes of all files with the checksums that their store keeps, and returns whether it keeps any: yes
  /// for objects, no for local files.
  [[nodiscard]] Result<bool> VerifyWhole() const;

  /// For the library.
  explicit StoredCheckpoint(std::shared_ptr<const internal::CheckpointReader> reader);
  [[nodiscard]] const internal::CheckpointReader& reader() const { return *reader_; }  ///< For the library.

 private:
  std::shared_ptr<const internal::CheckpointReader> reader_;
};

/// The outcome of reading a whole storage.
struct VerifiedStorage {
  std::string tensor = {};           ///< The name of a tensor in it, or "a storage without a tensor".
  std::uint64_t bytes = 0;           ///< Its size.
  std::uint32_t crc32c = 0;          ///< Of the bytes that were read; 0 if they are damaged.
  bool is_verified = false;          ///< The file has a checksum of it, and the bytes match it.
  std::optional<Error> damage = {};  ///< kCorrupted if the bytes do not match the checksum.
};

/// Reads all storages and compares them with the file's checksums, in bounded memory. Returns all of them, and calls
/// `on_storage` for each at once. A damaged storage does not end the call; any other failure does.
Result<std::vector<VerifiedStorage>> VerifyCheckpoint(
    const StoredCheckpoint& checkpoint, const std::function<void(const VerifiedStorage&)>& on_storage = {});

/// A tensor that differs between two checkpoints.
struct TensorDifference {
  std::string name = {};  ///< As in both checkpoints.
  /// "only in the first", "only in the second", "type or shape", "elements", or "not read": one of the two checkpoints
  /// holds a form of this tensor that gcsflux does not read.
  std::string_view kind = "elements";
  std::string why = {};                  ///< For people: "float32 [2, 3], and float32 [3, 2]".
  std::uint64_t different_elements = 0;  ///< The number of elements that differ; only for "elements".
  /// The largest absolute difference of two elements; only for "elements". NaN if one of the two elements is not a
  /// number.
  double largest = 0;
};

/// Compares the tensors of two checkpoints by name. Returns those that differ, each once; the others have the same
/// type, shape and bytes. Calls `on_difference` for each at once. The formats may differ, and strides do not count.
/// Values that are not tensors are not compared. Uses bounded memory. If a tensor's elements do not follow each other
/// in one of the files, the whole tensor of both is held too. Returns kInvalidArgument if a checkpoint has two tensors
/// of one name.
Result<std::vector<TensorDifference>> CompareCheckpoints(
    const StoredCheckpoint& first, const StoredCheckpoint& second,
    const std::function<void(const TensorDifference&)>& on_difference = {});

}  // namespace gcsflux
