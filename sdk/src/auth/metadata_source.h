#pragma once

#include <memory>

#include "auth/token_source.h"

namespace gcsflux::internal {

/// Tokens of the machine's own service account. Where the server has never answered, it is most likely not there: a few
/// quick attempts, then kUnauthenticated with all places that were looked at.
std::unique_ptr<const TokenSource> MakeMetadataSource(const MetadataServer& server);

}  // namespace gcsflux::internal
