#pragma once

#include <memory>

#include "auth/token_source.h"

namespace gcsflux::internal {

/// Tokens of the machine's own service account. If the server has never answered, it probably does not exist: after a
/// few quick attempts returns kUnauthenticated, with all places that were searched.
std::unique_ptr<const TokenSource> MakeMetadataSource(const MetadataServer& server);

}  // namespace gcsflux::internal
