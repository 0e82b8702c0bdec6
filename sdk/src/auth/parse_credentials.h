#pragma once

#include <string_view>

#include "auth/credential_config.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Parses a credential file (JSON) of type service_account, authorized_user, impersonated_service_account or
/// external_account. kInvalidArgument names the wrong member, never its value.
Result<CredentialConfig> ParseCredentials(std::string_view text);

}  // namespace gcsflux::internal
