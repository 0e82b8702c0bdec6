#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identity/permissions.h"
#include "identity/rsa_public_key.h"

namespace gcsflux::emulator {

struct ServiceAccountKey {
  std::string id = {};  ///< The key file's private_key_id.
  RsaPublicKey key;
};

struct ServiceAccount {
  std::string email = {};
  std::vector<ServiceAccountKey> keys =
      {};  ///< Empty if nothing is signed with its keys: the account is impersonated, or a machine's.
};

/// The user whose credentials `gcloud auth application-default login` stores.
struct AuthorizedUser {
  std::string email = {};
  std::string client_id = {};
  std::string client_secret = {};
  std::string refresh_token = {};
};

/// A workload identity provider: which tokens of another issuer it accepts, and for which service account.
struct ExternalAccount {
  struct SubjectToken {
    std::string token = {};
    std::string principal = {};
  };
  std::string audience = {};
  std::string subject_token_type = {};
  std::vector<SubjectToken> subject_tokens = {};
};

/// `principal` may get tokens for `service_account`.
struct Impersonation {
  std::string principal = {};
  std::string service_account = {};
};

struct RoleBinding {
  std::string principal = {};  ///< Or "allUsers", which includes callers without credentials.
  std::string bucket = {};     ///< Or "*": all buckets, and the project.
  Role role = Role::kViewer;
};

/// The service account that the machine runs as.
struct MetadataServerAccount {
  std::string service_account = {};
  std::vector<std::string> scopes = {};
};

/// All known identities, and what they may do. docs/emulator/identity.md describes its JSON.
struct IdentityConfig {
  std::string project_id = {};
  std::chrono::seconds token_lifetime{3600};
  std::vector<ServiceAccount> service_accounts = {};
  std::vector<AuthorizedUser> authorized_users = {};
  std::vector<ExternalAccount> external_accounts = {};
  std::vector<Impersonation> impersonations = {};
  std::vector<RoleBinding> roles = {};
  std::optional<MetadataServerAccount> metadata_server = {};

  [[nodiscard]] const ServiceAccount* FindServiceAccount(std::string_view email) const;
};

/// Reads the configuration and the key files that it names. If a field is wrong, throws std::invalid_argument that
/// names it, but never repeats the value of a secret.
IdentityConfig ParseIdentityConfig(std::string_view json);

}  // namespace gcsflux::emulator
