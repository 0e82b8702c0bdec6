#pragma once

#include <functional>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// Gives all bytes of a file to the sink, in order.
using CheckpointWriter = std::function<Result<void>(const ByteSink& sink)>;

/// Writes a checkpoint, all or nothing: after a failure the name has its earlier content. If `write` throws, returns
/// kLocalIo. If `uri` begins with gs://, writes an object over many connections. Otherwise writes a local file under a
/// temporary name beside it, and renames it. For a file only the mode of the options counts, and the answer has only
/// name and size.
Result<ObjectMetadata> WriteCheckpoint(const Client& client, const std::string& uri, const CheckpointWriter& write,
                                       const UploadOptions& options = {});

}  // namespace gcsflux
