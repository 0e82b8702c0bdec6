#pragma once

#include <memory>

#include "auth/token_source.h"

namespace gcsflux::internal {

/// Tokens of a service account that the identity of `base` may impersonate.
std::unique_ptr<const TokenSource> MakeImpersonationSource(std::unique_ptr<const TokenSource> base,
                                                           Impersonation impersonation);

}  // namespace gcsflux::internal
