#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Sets the options of connections, certificates, proxies and headers from the flags.
Result<void> SetNetworkFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
