#pragma once

#include "gcsflux/options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Sets the identity from the flags --credentials, --access_token_file, --exchange_signed_tokens and --quota_project.
Result<void> SetCredentialsFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
