#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The command cp with --recursive, or with several sources: all arguments but the last one are sources.
Result<void> CopyTrees(const Client& client, const std::vector<std::string>& arguments);

}  // namespace gcsflux::cli
