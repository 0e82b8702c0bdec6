#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// The files of safetensors that lie directly in a folder: objects, as URIs, if `uri` is "gs://bucket/folder/", else
/// local files. Sorted by name.
Result<std::vector<std::string>> ShardsInFolder(const Client& client, const std::string& uri, const CallOptions& call,
                                                const std::stop_token& stop);

}  // namespace gcsflux::internal
