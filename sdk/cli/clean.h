#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The command clean: removes what composed downloads and uploads left behind in each of the buckets, and what
/// interrupted saves and removals left under the prefix of each training run.
Result<void> Clean(const Client& client, const std::vector<std::string>& uris);

}  // namespace gcsflux::cli
