#pragma once

#include <memory>

#include "auth/token_source.h"

namespace gcsflux::internal {

/// Tokens for an identity of somebody else's: its own token is read where the account says, each time anew since others
/// renew it, and exchanged at Google's Security Token Service; then a service account is impersonated, if it names one.
std::unique_ptr<const TokenSource> MakeExternalAccountSource(const ExternalAccount& account);

}  // namespace gcsflux::internal
