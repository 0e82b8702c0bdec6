#pragma once

#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// `checkpoint inspect|verify|convert|diff|ls|rm|prune`, of objects and local files.
Result<void> RunCheckpoint(const Client& client, const std::vector<std::string>& arguments);

}  // namespace gcsflux::cli
