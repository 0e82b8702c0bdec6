#pragma once

#include <functional>
#include <string>

#include "gcsflux/formats.h"
#include "gcsflux/parallel_writer.h"

namespace gcsflux {

/// Gives all bytes of a file to the sink, in order: by WriteTorchFile(), WriteSafetensors(), ConvertCheckpoint().
using CheckpointWriter = std::function<Result<void>(const ByteSink& sink)>;

/// Writes an object over many connections, or where `uri` has no gs:// a local file, all or nothing: after a failure
/// the name has what it had before. A local file is written beside, and renamed; of the options it takes the mode
/// alone, and of the metadata it has name and size alone.
Result<ObjectMetadata> WriteCheckpoint(const Client& client, const std::string& uri, const CheckpointWriter& write,
                                       const ParallelWriterOptions& options = {});

}  // namespace gcsflux
