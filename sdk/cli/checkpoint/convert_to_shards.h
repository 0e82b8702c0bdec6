#pragma once

#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/upload.h"

namespace gcsflux::cli {

/// A checkpoint that becomes many files.
struct ShardConversion {
  std::string source = {};       ///< Where the checkpoint is. If it is a step of a run, its metrics are kept.
  std::string destination = {};  ///< "gs://bucket/run/step-00000042.json", or a folder with its slash.
  int shards = 0;
  bool is_tensors_only = false;
  UploadOptions writer = {};
};

/// How many files there are, and their bytes together.
struct ConvertedShards {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

/// Writes the files: as a step of a run, or into a folder that has no safetensors. After an error, what was written is
/// removed as far as that succeeds.
Result<ConvertedShards> ConvertToShards(const Client& client, const StoredCheckpoint& checkpoint,
                                        const ShardConversion& conversion);

}  // namespace gcsflux::cli
