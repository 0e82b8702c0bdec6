#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Fills in what the flags say of connections, certificates, proxies and headers.
Result<void> SetNetworkFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
