#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "auth/credential_config.h"
#include "auth/json_fields.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// An external account's file: https://google.aip.dev/auth/4117. Subject tokens come from a file or a URL; commands
/// (executable) and AWS's signatures are refused by name.
Result<CredentialConfig> ReadExternalAccount(const nlohmann::json& object);

/// The members for the impersonation of a service account, in any file that has them. Nothing if it has none.
std::optional<Impersonation> ReadImpersonation(JsonFields& fields);

}  // namespace gcsflux::internal
