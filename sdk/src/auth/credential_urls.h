#pragma once

#include <string_view>

namespace gcsflux::internal {

// Which URLs of a credential file are gone to. A file can be somebody else's work: whoever chooses where a token is
// sent, has it. https://cloud.google.com/docs/authentication/external/externally-sourced-credentials

/// A token endpoint: https, and Google's (accounts.google.com or below googleapis.com), or this machine.
bool IsTokenUrl(std::string_view url);

/// The token endpoint of external accounts: Google's Security Token Service over https, or this machine.
bool IsStsUrl(std::string_view url);

/// Where a service account is impersonated: Google's IAM Credentials service over https, or this machine; and that
/// method alone.
bool IsImpersonationUrl(std::string_view url);

/// Where an external account's own token is fetched: https, or this machine, or a metadata server on the link-local
/// network (Azure's), which speak plain http. Any host: what it answers goes to the Security Token Service alone.
bool IsSubjectTokenUrl(std::string_view url);

/// True for "host[:port]" of this machine or Google's metadata server: the hosts that give a token in the clear.
bool IsMetadataHost(std::string_view authority);

}  // namespace gcsflux::internal
