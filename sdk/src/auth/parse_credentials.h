#pragma once

#include <string_view>

#include "auth/credential_config.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What a credential file (JSON) says: types service_account, authorized_user, impersonated_service_account and
/// external_account. kInvalidArgument names the member that is wrong, never its value.
Result<CredentialConfig> ParseCredentials(std::string_view text);

}  // namespace gcsflux::internal
