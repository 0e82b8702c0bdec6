#pragma once

#include <memory>
#include <string_view>

#include "auth/access_token.h"
#include "auth/credential_config.h"
#include "auth/token_exchange.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Where one credential's tokens come from. Thread-safe.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// False where there is only the one token.
  [[nodiscard]] virtual bool is_renewable() const { return true; }
  /// A new token, as SendTokenRequest() fails; also kLocalIo, where a file of its own cannot be read.
  virtual Result<AccessToken> Fetch(const TokenContext& context) const = 0;
};

/// The kind of a credential, for people: "service account". Never empty.
std::string_view CredentialKindName(const CredentialConfig& config);

/// Null for anonymous access. `config` is no ApplicationDefault any more: see find_credentials.h.
///
/// A service account signs its own tokens, unless `exchanges_signatures`, or its token_uri is not Google's: then it is
/// asked for them there.
std::unique_ptr<const TokenSource> MakeTokenSource(const CredentialConfig& config, bool exchanges_signatures);

}  // namespace gcsflux::internal
