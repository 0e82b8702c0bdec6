#pragma once

#include <memory>
#include <string_view>

#include "auth/access_token.h"
#include "auth/credential_config.h"
#include "auth/token_exchange.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The source of one credential's tokens. Thread-safe.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// False if there is only one fixed token.
  [[nodiscard]] virtual bool is_renewable() const { return true; }
  /// Fetches a new token. Fails like SendTokenRequest(), or with kLocalIo if a file of its own cannot be read.
  virtual Result<AccessToken> Fetch(const TokenContext& context) const = 0;
};

/// The kind of a credential, for people: "service account". Never empty.
std::string_view CredentialKindName(const CredentialConfig& config);

/// Null for anonymous access. `config` must not be ApplicationDefault: see find_credentials.h.
///
/// A service account signs its own tokens. If `exchanges_signatures` is set, or its token_uri is not Google's, it
/// requests them there.
std::unique_ptr<const TokenSource> MakeTokenSource(const CredentialConfig& config, bool exchanges_signatures);

}  // namespace gcsflux::internal
