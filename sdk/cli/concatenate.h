#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// The command cat: writes objects to standard output, one after the other. Several are fetched ahead at the same time,
/// in bounded memory.
Result<void> Concatenate(const Client& client, const std::vector<std::string>& uris);

}  // namespace gcsflux::cli
