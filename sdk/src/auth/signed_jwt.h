#pragma once

#include <chrono>
#include <string>

#include "auth/credential_config.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// What every token is asked for; IAM decides what it may.
/// https://developers.google.com/identity/protocols/oauth2/scopes
inline constexpr auto kCloudPlatformScope = "https://www.googleapis.com/auth/cloud-platform";
/// How long a signature is good for: the most that Google takes.
inline constexpr std::chrono::seconds kSignatureLifetime{3600};

/// A token that the service account signs for itself: https://google.aip.dev/auth/4111, with a scope.
Result<std::string> SignOwnToken(const ServiceAccountKey& key, std::chrono::system_clock::time_point now);

/// What the service account shows to its token_uri, to be given a token.
/// https://developers.google.com/identity/protocols/oauth2/service-account
Result<std::string> SignAssertion(const ServiceAccountKey& key, std::chrono::system_clock::time_point now);

}  // namespace gcsflux::internal
