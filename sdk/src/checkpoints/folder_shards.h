#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// The checkpoints' files directly in a folder. URIs of objects if the folder is "gs://bucket/folder/", otherwise
/// paths.
struct FolderShards {
  std::vector<std::string> safetensors = {};  ///< Sorted by name.
  std::string distributed = {};               ///< .metadata of a distributed checkpoint; empty if there is none.
  std::string of_rank_0 = {};                 ///< __0.metadata: each rank saved a checkpoint of its own.
};

Result<FolderShards> ShardsInFolder(const Client& client, const std::string& uri, const CallOptions& call = {},
                                    const std::stop_token& stop = {});

}  // namespace gcsflux::internal
