#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The command sync: SOURCE DESTINATION, both directories.
Result<void> Sync(const Client& client, const std::vector<std::string>& arguments);

}  // namespace gcsflux::cli
