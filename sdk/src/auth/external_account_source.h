#pragma once

#include <memory>

#include "auth/token_source.h"

namespace gcsflux::internal {

/// Tokens for an identity outside of Google. Its own token is read from its source each time, because it is renewed
/// there, and exchanged at Google's Security Token Service. If the account names a service account, that one is
/// impersonated.
std::unique_ptr<const TokenSource> MakeExternalAccountSource(const ExternalAccount& account);

}  // namespace gcsflux::internal
