#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/credential_config.h"
#include "auth/token_cache.h"
#include "auth/token_exchange.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Signs in the name of a service account: RSASSA-PKCS1-v1_5 with SHA-256. Thread-safe.
class BlobSigner {
 public:
  virtual ~BlobSigner() = default;
  /// The account's e-mail address. Fails as SendTokenRequest() does.
  virtual Result<std::string> Account(const TokenContext& context) const = 0;
  /// The signature's bytes. Fails likewise.
  virtual Result<std::string> Sign(const std::string& account, std::string_view bytes,
                                   const TokenContext& context) const = 0;
};

/// By the key of a credential that has one; else by the service account that the credential is of, through IAM
/// Credentials' signBlob. A credential of no service account (a user's, a fixed token) has no Account(), but can sign
/// for those that it may impersonate. Null for anonymous access. `tokens` are the credential's own.
std::shared_ptr<const BlobSigner> MakeBlobSigner(const CredentialConfig& config, std::shared_ptr<TokenCache> tokens);

}  // namespace gcsflux::internal
