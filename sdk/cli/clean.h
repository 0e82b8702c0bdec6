#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The command clean: removes what composed downloads and uploads left behind in each of the buckets.
Result<void> Clean(const Client& client, const std::vector<std::string>& uris);

}  // namespace gcsflux::cli
