#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

// Checkpoints by URI: objects "gs://bucket/name", and local files.
namespace gcsflux {

/// Opens a checkpoint of any supported format. If `uri` begins with gs://, it is an object, otherwise a local file,
/// which must not change while it is read. The bytes tell the format. For an index of safetensors, up to 16 objects are
/// opened at the same time.
/// A folder, "gs://bucket/name/" or a local one, means all files in it that end in .safetensors: PyTorch DCP saves them
/// without an index. "gs://bucket/run/step-00000042.json" is the manifest of a run's step: CheckpointSteps::OpenStep().
///
/// Opening an object takes a request for its metadata, then two at the same time for both ends. If the directory, the
/// pickle or the header is longer, it takes one or two more. After that, reading any number of tensors takes one round
/// trip. Returns kNotFound if there is no such object, and kUndecodable if it is not a checkpoint of a supported
/// format.
Result<StoredCheckpoint> OpenCheckpoint(const Client& client, const std::string& uri,
                                        const ObjectReaderOptions& options = {});

struct ConvertOptions {
  CheckpointFormat format = CheckpointFormat::kSafetensors;  ///< Or kTorchFile. Not used with `shards`.
  /// If above 0, writes so many files of safetensors, as that many processes would; fewer if there are fewer rows.
  int shards = 0;
  /// Leaves out values that are not tensors, and values that gcsflux does not read. If it is false, such a value is an
  /// error that names it.
  bool is_tensors_only = false;
  UploadOptions file = {};  ///< How each file is written. Its `stop` is also that of the reads.
};

struct ConvertedCheckpoint {
  std::size_t tensors = 0;
  std::size_t files = 0;
  std::uint64_t bytes = 0;  ///< Of all files.
};

/// Writes a checkpoint's tensors in another format. Uses about 64 MiB of memory beyond the source's and the upload's.
/// If a tensor's elements do not follow each other in the file, the whole tensor is held too.
///
/// `from` is opened by OpenCheckpoint(). `to` is an object "gs://bucket/name" or a local file, which is written all or
/// nothing. With ConvertOptions::shards it is "gs://bucket/run/step-00000042.json", and the files become that step of
/// the run; or a folder with its '/', which must have no safetensors. Files are divided by bytes: tensors of more than
/// 4096 bytes are divided by rows. After an error with `shards`, what was written is removed as far as that succeeds.
///
/// In safetensors no two tensors share a storage: tied weights are written twice. With kTorchFile, the file holds an
/// OrderedDict of tensors. If the source is a step of CheckpointRun in safetensors, the file holds the dict with all
/// values that the run would have saved as kTorchFile. If it is a step that becomes a step, the time, metrics and
/// metadata stay.
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
