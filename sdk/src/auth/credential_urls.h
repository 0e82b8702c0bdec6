#pragma once

#include <string_view>

namespace gcsflux::internal {

// Which URLs of a credential file are used. Another person may have written the file, and the target of a token request
// receives the token. https://cloud.google.com/docs/authentication/external/externally-sourced-credentials

/// A token endpoint: https and Google's (accounts.google.com or below googleapis.com), or this machine.
bool IsTokenUrl(std::string_view url);

/// The token endpoint of external accounts: Google's Security Token Service over https, or this machine.
bool IsStsUrl(std::string_view url);

/// The endpoint for impersonation: Google's IAM Credentials service over https, or this machine; only that method.
bool IsImpersonationUrl(std::string_view url);

/// The URL of an external account's own token: https, this machine, or a metadata server on the link-local network
/// (Azure's) over plain http. Any host is allowed, because its answer goes only to the Security Token Service.
bool IsSubjectTokenUrl(std::string_view url);

/// True for "host[:port]" of this machine or of Google's metadata server: the hosts that give a token over plain http.
bool IsMetadataHost(std::string_view authority);

}  // namespace gcsflux::internal
