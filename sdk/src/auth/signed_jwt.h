#pragma once

#include <chrono>
#include <string>

#include "auth/credential_config.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The scope of every token; IAM decides what the token allows.
/// https://developers.google.com/identity/protocols/oauth2/scopes
inline constexpr auto kCloudPlatformScope = "https://www.googleapis.com/auth/cloud-platform";
/// The lifetime of a signature: the longest that Google accepts.
inline constexpr std::chrono::seconds kSignatureLifetime{3600};

/// A token that the service account signs itself: https://google.aip.dev/auth/4111, with a scope.
Result<std::string> SignOwnToken(const ServiceAccountKey& key, std::chrono::system_clock::time_point now);

/// The assertion that the service account sends to its token_uri to get a token.
/// https://developers.google.com/identity/protocols/oauth2/service-account
Result<std::string> SignAssertion(const ServiceAccountKey& key, std::chrono::system_clock::time_point now);

}  // namespace gcsflux::internal
