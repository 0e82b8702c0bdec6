#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// "2024-01-31T23:59:59Z".
std::string Iso8601(std::chrono::system_clock::time_point time);

/// The command ls: lists the project's buckets, or the objects under each of the prefixes.
Result<void> List(const Client& client, const std::vector<std::string>& uris);

}  // namespace gcsflux::cli
