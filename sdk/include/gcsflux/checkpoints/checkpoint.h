#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

// Checkpoints by URI: objects "gs://bucket/name", and local files.
namespace gcsflux {

/// Opens a checkpoint of any supported format. If `uri` begins with gs://, it is an object, otherwise a local file,
/// which must not change while it is read. The bytes tell the format. For an index of safetensors, up to 16 objects are
/// opened at the same time.
/// A folder, "gs://bucket/name/" or a local one, is what torch.distributed.checkpoint.save() writes: .metadata and what
/// it names; or else all files in it that end in .safetensors. "gs://bucket/run/step-00000042.json" is the manifest of
/// a run's step: CheckpointSteps::OpenStep().
///
/// Opening an object takes a request for its metadata, then two at the same time for both ends. If the directory, the
/// pickle or the header is longer, it takes one or two more. After that, reading any number of tensors takes one round
/// trip. Returns kNotFound if there is no such object, and kUndecodable if it is not a checkpoint of a supported
/// format.
Result<StoredCheckpoint> OpenCheckpoint(const Client& client, const std::string& uri,
                                        const ObjectReaderOptions& options = {});

/// A tensor to save. Name and memory are borrowed for the call.
struct TensorWrite {
  std::string_view name = {};                ///< As StoredTensor::name.
  DType dtype = DType::kFloat32;             ///< The type of its elements.
  std::vector<std::int64_t> shape = {};      ///< Empty for a scalar.
  std::span<const std::byte> elements = {};  ///< In row-major order, little-endian.
};

/// Writes tensors from memory as a file of safetensors, with each tensor's CRC32C, to an object "gs://bucket/name" or a
/// local file, all or nothing. OpenCheckpoint() and Python's safetensors read it; ConvertCheckpoint() makes a file of
/// torch.save of it. The memory must not change meanwhile: it is read twice, for the checksums. For a local file only
/// the mode of the options counts, and the answer has only name and size. Thread-safe.
///
/// `metadata` is stored with the tensors: StoredCheckpoint::metadata(). "format" is "pt" if it is not given, because
/// some readers require it.
///
/// Returns kInvalidArgument, and sends nothing, if
/// - a tensor's name is empty, is "__metadata__", is not UTF-8, or occurs twice;
/// - `elements` has another length than `dtype` and `shape` ask for, or safetensors lacks the type (complex32);
/// - a name of the metadata occurs twice, or is reserved ("crc32c:...", "gcsflux.state", "DCP_SHARDING_INFO"), or a
/// name
///   or a value is not UTF-8;
/// - names, shapes and metadata together take more than 100 MB.
/// Returns kCorrupted, and stores nothing, if the memory changed meanwhile. Other errors are those of ObjectWriter.
Result<ObjectMetadata> SaveTensors(const Client& client, const std::string& uri, std::span<const TensorWrite> tensors,
                                   const std::vector<std::pair<std::string, std::string>>& metadata = {},
                                   const UploadOptions& options = {});

/// For ConvertCheckpoint().
struct ConvertOptions {
  /// Or kTorchFile, without `shards`; or kDistributed: a folder that Python's torch.distributed.checkpoint.load()
  /// reads.
  CheckpointFormat format = CheckpointFormat::kSafetensors;
  /// If above 0, writes so many files of safetensors, or with kDistributed of slices, as that many processes would;
  /// fewer if there are fewer rows. For kDistributed 0 is 1.
  int shards = 0;
  /// Leaves out values that are not tensors, and values that gcsflux does not read. If it is false, such a value is an
  /// error that names it.
  bool is_tensors_only = false;
  UploadOptions file = {};  ///< How each file is written. Its `stop` is also that of the reads.
};

/// What ConvertCheckpoint() wrote.
struct ConvertedCheckpoint {
  std::size_t tensors = 0;  ///< Tensors written.
  std::size_t files = 0;    ///< Files written; 1 without `shards`.
  std::uint64_t bytes = 0;  ///< Of all files.
};

/// Writes a checkpoint's tensors in another format. Uses about 64 MiB of memory beyond the source's and the upload's.
/// If a tensor's elements do not follow each other in the file, the whole tensor is held too.
///
/// `from` is opened by OpenCheckpoint(). `to` is an object "gs://bucket/name" or a local file, which is written all or
/// nothing. With ConvertOptions::shards it is "gs://bucket/run/step-00000042.json", and the files become that step of
/// the run; or a folder with its '/', which must have no safetensors and no .metadata. With kDistributed it is such a
/// folder, whose .metadata is written last. Files are divided by bytes: tensors of more than
/// 4096 bytes are divided by rows. After an error with `shards`, what was written is removed as far as that succeeds.
///
/// In safetensors no two tensors share a storage: tied weights are written twice. With kTorchFile, the file holds an
/// OrderedDict of tensors. If the source is a step of CheckpointRun in safetensors, the file holds the dict with all
/// values that the run would have saved as kTorchFile; if it is a distributed checkpoint, the dict that Python saved.
/// With kDistributed, values beside the tensors are kept too. If it is a step that becomes a step, the time, metrics
/// and metadata stay.
///
/// Returns kInvalidArgument if:
/// - the other format lacks a type,
/// - with `shards`, two tensors have one name, or it is below 0 or above 99999,
/// - without `is_tensors_only`, the checkpoint holds more than tensors: numbers, texts, metadata of safetensors other
///   than "format".
/// Returns kCorrupted if the source gives other bytes the second time: safetensors are read twice, for checksums.
Result<ConvertedCheckpoint> ConvertCheckpoint(const Client& client, const std::string& from, const std::string& to,
                                              const ConvertOptions& options = {});

}  // namespace gcsflux
