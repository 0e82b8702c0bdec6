#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// Lists the safetensors files directly in a folder, sorted by name. If `uri` is "gs://bucket/folder/", returns URIs of
/// objects, otherwise paths of local files.
Result<std::vector<std::string>> ShardsInFolder(const Client& client, const std::string& uri,
                                                const CallOptions& call = {}, const std::stop_token& stop = {});

}  // namespace gcsflux::internal
