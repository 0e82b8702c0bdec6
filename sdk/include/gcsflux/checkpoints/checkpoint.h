#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/checkpoints/safetensors.h"
#include "gcsflux/checkpoints/torch_file.h"
#include "gcsflux/client.h"
#include "gcsflux/formats.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// The format of a checkpoint file. The file's bytes tell the format; its name does not.
enum class CheckpointFormat {
  kUnknown,
  kTorchFile,         ///< torch.save since 1.6: torch_file.h
  kLibtorchArchive,   ///< torch::save, OutputArchive, TorchScript
  kOtherZip,          ///< A zip archive that neither torch.save nor libtorch wrote.
  kSafetensors,       ///< One file: safetensors.h, ReadSafetensorsHeader()
  kSafetensorsIndex,  ///< The JSON index of a sharded checkpoint: ReadSafetensorsIndex()
  kOldTorchFile,  ///< torch.save before 1.6, or with _use_new_zipfile_serialization=False: gcsflux does not read it.
};

/// For messages: "safetensors", "a file of torch.save".
std::string_view FormatName(CheckpointFormat format);

/// Whether it is a file of safetensors or an index of such files.
constexpr bool IsSafetensors(CheckpointFormat format) {
  return format == CheckpointFormat::kSafetensors || format == CheckpointFormat::kSafetensorsIndex;
}

/// Detects the format from the file's first bytes; 64 bytes are enough. Every zip archive is kOtherZip here, because
/// only its directory tells which program wrote it.
CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes);

/// Detects the format, also of zip archives. Takes one read, and for an archive one or two more. The answer is what the
/// file claims to be; reading it may still fail. Returns the source's error if a read fails, and an error if an
/// archive's directory is broken.
Result<CheckpointFormat> DetectFormat(const ByteSource& source);

namespace internal {
class CheckpointReader;
}  // namespace internal

/// Opens files in the folder of an index, in this order: "model-00001-of-00002.safetensors".
using OpenShards = std::function<Result<std::vector<ByteSource>>(std::span<const std::string> files)>;

/// A checkpoint of any supported format, without its tensors' bytes: a file of torch.save, an archive of libtorch, or
/// safetensors in one file or, by an index, in many. OpenCheckpoint() opens one by its URI.
///
/// In safetensors each tensor has its own storage; slices that PyTorch DCP saved are joined. No code in a file is
/// executed and no name in it is resolved. Values of the types that PyTorch writes are read. Others are refused by
/// name, and the rest can still be read. All errors name the file, the record and the byte: kUndecodable, kCorrupted,
/// and the errors of the source. Opening a file of n bytes uses at most 16 n + 16 MiB of memory. A copy shares what was
/// read. Thread-safe if the source is.
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

  /// Fills memory that has the storages' lengths, with one ByteSource::read_all() for each file; two if a file of
  /// torch.save is not aligned as PyTorch does it. If the file has a checksum of a storage or slice that is read whole,
  /// the bytes are compared with it: kCorrupted if they differ.
  Result<void> ReadStorages(std::span<const StorageRead> reads) const;
  /// Fills memory with the tensors' elements in row-major order for any strides, in the same way. If the elements do
  /// not follow each other in the file, the bytes that the tensor touches are held beside `into`.
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
  /// The value of this name with all that it contains; "" is the whole. A refused value within it appears as Refused.
  /// For safetensors, reads what CheckpointRun wrote into the metadata. Returns kNotFound if there is no such value,
  /// and kUndecodable for other safetensors, which hold only tensors.
  [[nodiscard]] Result<pickled::Value> ReadValue(std::string_view name = {}) const;
  /// Whether ReadValue() finds the whole.
  [[nodiscard]] bool HasValues() const;

 private:
  StoredCheckpoint(CheckpointFormat format, std::string name, std::shared_ptr<const internal::CheckpointReader> reader);
  static Result<StoredCheckpoint> OpenIndex(const ByteSource& source, const OpenShards& open_shards);

  CheckpointFormat format_;
  std::string name_;
  std::shared_ptr<const internal::CheckpointReader> reader_;
};

/// Rows [begin, end) of a tensor, for a separate read. Returns nothing if the tensor has fewer rows.
std::optional<StoredTensor> RowsOf(const StoredTensor& tensor, std::int64_t begin, std::int64_t end);

/// The bytes of a tensor's elements, without the bytes between them.
std::uint64_t TensorBytes(const TensorLayout& layout);

// Opens checkpoints by URI: objects "gs://bucket/name", and local files.

/// A source over the object that the reader has opened. Ranges are read at the same time.
ByteSource SourceOf(const std::shared_ptr<const ObjectReader>& reader);

/// A source over a local file. The file must not change while it is read. Thread-safe.
Result<ByteSource> SourceOfFile(const std::string& path);

/// Opens a checkpoint of any supported format. If `uri` begins with gs://, it is an object, otherwise a local file. The
/// bytes tell the format. For an index of safetensors, up to 16 objects are opened at the same time.
/// A folder, "gs://bucket/name/" or a local one, means all files in it that end in .safetensors: PyTorch DCP saves them
/// without an index. "gs://bucket/run/step-00000042.json" is the manifest of a run's step: CheckpointSteps::OpenStep().
///
/// Opening an object takes a request for its metadata, then two at the same time for both ends. If the directory, the
/// pickle or the header is longer, it takes one or two more. After that, reading any number of tensors takes one round
/// trip. Returns kNotFound if there is no such object, and kUndecodable if it is not a checkpoint of a supported
/// format.
Result<StoredCheckpoint> OpenCheckpoint(const Client& client, const std::string& uri,
                                        const ObjectReaderOptions& options = {});

// What the URI or the path of a checkpoint names. All functions are thread-safe.

/// A step of a training run.
struct StepPlace {
  std::string run = {};  ///< "gs://bucket/runs/7/"
  std::int64_t step = 0;
};

/// The step whose manifest has this URI: "gs://bucket/runs/7/step-00000042.json". Returns nothing for other texts.
std::optional<StepPlace> StepPlaceOf(std::string_view uri);

/// Lists the safetensors files directly in a folder, sorted by name. If `folder` is "gs://bucket/folder/", returns URIs
/// of objects, otherwise paths of local files.
Result<std::vector<std::string>> ListShards(const Client& client, const std::string& folder,
                                            const std::stop_token& stop = {});

/// The outcome of reading a whole storage.
struct VerifiedStorage {
  std::size_t storage = 0;
  std::uint32_t crc32c = 0;          ///< Of the bytes that were read; 0 if they are damaged.
  bool is_verified = false;          ///< The file has a checksum of it, and the bytes match it.
  std::optional<Error> damage = {};  ///< kCorrupted if the bytes do not match the checksum.
};

struct VerifyReport {
  std::uint64_t storages = 0;
  std::uint64_t damaged = 0;
  std::uint64_t bytes = 0;           ///< Of all storages.
  std::uint64_t verified_bytes = 0;  ///< Bytes of storages with a checksum.
};

/// Reads all storages and compares them with the file's checksums, in bounded memory. A damaged storage does not end
/// the call; any other failure does.
Result<VerifyReport> VerifyCheckpoint(const StoredCheckpoint& checkpoint,
                                      const std::function<void(const VerifiedStorage&)>& on_storage = {});

/// How a tensor differs between two checkpoints.
enum class TensorDifferenceKind : std::uint8_t {
  kOnlyInFirst,
  kOnlyInSecond,
  kTypeOrShape,
  kElements,
  kNotRead,  ///< One of the two checkpoints holds a form of this tensor that gcsflux does not read.
};

struct TensorDifference {
  std::string name = {};
  TensorDifferenceKind kind = TensorDifferenceKind::kElements;
  std::string why = {};                  ///< For people: "float32 [2, 3], and float32 [3, 2]".
  std::uint64_t different_elements = 0;  ///< The number of elements that differ; only for kElements.
  /// The largest absolute difference of two elements; only for kElements. NaN if one of the two elements is not a
  /// number.
  double largest = 0;
};

struct CompareReport {
  std::uint64_t same = 0;       ///< Tensors of the same type, shape and bytes.
  std::uint64_t different = 0;  ///< Tensor names with a TensorDifference.
};

/// Compares the tensors of two checkpoints by name. The formats may differ, and strides do not count. Values that are
/// not tensors are not compared. Uses bounded memory. If a tensor's elements do not follow each other in one of the
/// files, the whole tensor of both is held too. Returns kInvalidArgument if a checkpoint has two tensors of one name.
Result<CompareReport> CompareCheckpoints(const StoredCheckpoint& first, const StoredCheckpoint& second,
                                         const std::function<void(const TensorDifference&)>& on_difference = {});

struct ConvertCheckpointOptions {
  /// Leaves out values that are not tensors, and values that gcsflux does not read. If it is false, such a value is an
  /// error that names it.
  bool is_tensors_only = false;
  bool has_checksums = true;  ///< As SafetensorsContents::has_checksums.
};

/// Writes a checkpoint's tensors in another format: kTorchFile or kSafetensors. Uses about 64 MiB of memory beyond the
/// source's and the sink's. If a tensor's elements do not follow each other in the file, the whole tensor is held too.
///
/// In safetensors no two tensors share a storage: tied weights are written twice. With kTorchFile, the file holds an
/// OrderedDict of tensors. If the source is a step of CheckpointRun in safetensors, the file holds the dict with all
/// values that the run would have saved as kTorchFile.
/// Returns kInvalidArgument if the other format lacks a type. Without `is_tensors_only`, returns it also if the
/// checkpoint holds more than tensors: numbers, texts, metadata of safetensors other than "format".
Result<void> ConvertCheckpoint(const StoredCheckpoint& checkpoint, CheckpointFormat format, const ByteSink& sink,
                               const ConvertCheckpointOptions& options = {});

/// The names of the values that are not tensors: values of a file of torch.save, values that gcsflux does not read,
/// metadata of safetensors.
Result<std::vector<std::string>> OtherValues(const StoredCheckpoint& checkpoint);

/// Gives all bytes of a file to the sink, in order, with WriteTorchFile(), WriteSafetensors() or ConvertCheckpoint().
using CheckpointWriter = std::function<Result<void>(const ByteSink& sink)>;

/// Writes a checkpoint, all or nothing: after a failure the name has its earlier content. If `write` throws, returns
/// kLocalIo. If `uri` begins with gs://, writes an object over many connections. Otherwise writes a local file under a
/// temporary name beside it, and renames it. For a file only the mode of the options counts, and the answer has only
/// name and size.
Result<ObjectMetadata> WriteCheckpoint(const Client& client, const std::string& uri, const CheckpointWriter& write,
                                       const UploadOptions& options = {});

}  // namespace gcsflux
