#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The command rm: objects, empty buckets, or with --recursive all objects of a directory.
Result<void> Remove(const Client& client, const std::vector<std::string>& uris);

}  // namespace gcsflux::cli
