#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "http/api_error.h"
#include "store/buckets/seed_bucket.h"

namespace gcsflux::emulator {

/// {"bucket": "...", "directory": "...", "prefix": "..."}. A relative directory is below `root`. 403 if the directory
/// is elsewhere, also by ".." or symbolic links.
ApiResult<SeedRequest> ParseSeedRequest(std::string_view text, const std::filesystem::path& root);

/// {"objects": N, "bytes": N}
std::string RenderSeedResult(const SeedResult& result);

}  // namespace gcsflux::emulator
