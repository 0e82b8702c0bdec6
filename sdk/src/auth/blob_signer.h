#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/credential_config.h"
#include "auth/token_cache.h"
#include "auth/token_exchange.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Signs as a service account: RSASSA-PKCS1-v1_5 with SHA-256. Thread-safe.
class BlobSigner {
 public:
  virtual ~BlobSigner() = default;
  /// The account's e-mail address. Fails like SendTokenRequest().
  virtual Result<std::string> Account(const TokenContext& context) const = 0;
  /// The signature's bytes. Fails like SendTokenRequest().
  virtual Result<std::string> Sign(const std::string& account, std::string_view bytes,
                                   const TokenContext& context) const = 0;
};

/// Signs with the credential's key, if it has one. Otherwise the credential's service account signs through IAM
/// Credentials' signBlob. A credential without a service account (a user's, a fixed token) has no Account(), but can
/// sign as accounts that it may impersonate. Null for anonymous access. `tokens` are the credential's own.
std::shared_ptr<const BlobSigner> MakeBlobSigner(const CredentialConfig& config, std::shared_ptr<TokenCache> tokens);

}  // namespace gcsflux::internal
