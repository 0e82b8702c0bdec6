#pragma once

#include <memory>
#include <string>

#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/object_reader.h"

// Opens checkpoints by URI: objects "gs://bucket/name", and local files.
namespace gcsflux {

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

}  // namespace gcsflux
