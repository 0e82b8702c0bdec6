#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "auth/rsa_key.h"
#include "gcsflux/credentials.h"
#include "http/transport.h"

namespace gcsflux::internal {

// The content of credential files, read and checked: values without behaviour. The names are those of the files.

struct AnonymousAccess {};

struct FixedToken {
  std::string text = {};
};

/// The first place in Google's order that has a credential; see find_credentials.h.
struct ApplicationDefault {};

struct ServiceAccountKey {
  std::string client_email = {};
  std::string private_key_id = {};  ///< May be empty.
  std::shared_ptr<const RsaKey> private_key = {};
  std::string token_uri = {};
};

struct AuthorizedUser {
  std::string client_id = {};
  std::string client_secret = {};
  std::string refresh_token = {};
  std::string token_uri = {};
};

/// The source of an external account's own token.
struct SubjectTokenSource {
  std::string file = {};  ///< Or:
  std::string url = {};
  HeaderList headers = {};  ///< For the URL.
  /// The JSON member with the token. If empty, the whole text is the token.
  std::string json_field = {};
};

struct Impersonation {
  std::string url = {};
  std::vector<std::string> delegates = {};  ///< E-mail addresses.
  std::chrono::seconds lifetime{3600};
};

struct ExternalAccount {
  std::string audience = {};
  std::string subject_token_type = {};
  std::string token_url = {};
  SubjectTokenSource source = {};
  std::string workforce_pool_user_project = {};  ///< May be empty.
  std::string client_id = {};                    ///< May be empty.
  std::string client_secret = {};
  std::optional<Impersonation> impersonation = {};
};

struct CredentialConfig;

struct ImpersonatedServiceAccount {
  std::shared_ptr<const CredentialConfig> source = {};
  Impersonation impersonation = {};
};

struct MetadataServer {
  std::string host = {};  ///< host[:port]
  /// The places that were searched before, for the message if there is no such server; see find_credentials.h.
  std::string looked_at = {};
};

struct CredentialConfig {
  std::variant<AnonymousAccess, FixedToken, ApplicationDefault, ServiceAccountKey, AuthorizedUser, ExternalAccount,
               ImpersonatedServiceAccount, MetadataServer>
      kind = {};
  std::string quota_project_id = {};
};

}  // namespace gcsflux::internal

namespace gcsflux {

/// The configuration behind credentials.
inline const internal::CredentialConfig& ConfigOf(const Credentials& credentials) { return *credentials.config_; }
inline Credentials CredentialsOf(internal::CredentialConfig config) {
  return Credentials(std::make_shared<const internal::CredentialConfig>(std::move(config)));
}

}  // namespace gcsflux
