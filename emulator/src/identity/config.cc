#include "identity/config.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "identity/json_fields.h"
#include "json/bounded_json.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxTokenLifetime = 43200;  // what the service allows at most

RsaPublicKey ReadKey(const JsonFields& fields, const std::string& name, const std::string& pem) {
  std::optional<RsaPublicKey> key = RsaPublicKey::FromPem(pem);
  if (!key) fields.Refuse(name, "is not an RSA key or certificate in PEM");
  return *std::move(key);
}

// A service account in a file of its own, in the form that the console gives out.
ServiceAccount ReadKeyFile(const JsonFields& fields, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (text.str().empty()) fields.Refuse("key_file", "cannot be read or is empty: " + path);
  const json parsed = ParseBoundedJson(text.str(), kOnlyDepth);
  const auto member = [&](const char* name) {
    const bool is_string = parsed.is_object() && parsed.contains(name) && parsed[name].is_string();
    if (!is_string) fields.Refuse("key_file", path + " is not a service account's key file: it has no " + name);
    return parsed[name].get<std::string>();
  };
  ServiceAccountKey key{member("private_key_id"), ReadKey(fields, "key_file", member("private_key"))};
  return ServiceAccount{member("client_email"), {std::move(key)}};
}

ServiceAccount ReadServiceAccount(JsonFields fields) {
  ServiceAccount account;
  if (const auto path = fields.OptionalString("key_file")) {
    account = ReadKeyFile(fields, *path);
  } else {
    account.email = fields.String("email");
    for (JsonFields& key : fields.Objects("keys")) {
      std::string id = key.String("private_key_id");
      account.keys.push_back({std::move(id), ReadKey(key, "public_key", key.String("public_key"))});
      key.RefuseOthers();
    }
  }
  fields.RefuseOthers();
  return account;
}

AuthorizedUser ReadAuthorizedUser(JsonFields fields) {
  AuthorizedUser user{.email = fields.String("email"),
                      .client_id = fields.String("client_id"),
                      .client_secret = fields.String("client_secret"),
                      .refresh_token = fields.String("refresh_token")};
  fields.RefuseOthers();
  return user;
}

ExternalAccount ReadExternalAccount(JsonFields fields) {
  ExternalAccount account{.audience = fields.String("audience")};
  account.subject_token_type =
      fields.OptionalString("subject_token_type").value_or("urn:ietf:params:oauth:token-type:jwt");
  for (JsonFields& token : fields.Objects("subject_tokens")) {
    account.subject_tokens.push_back({token.String("token"), token.String("principal")});
    token.RefuseOthers();
  }
  fields.RefuseOthers();
  return account;
}

std::set<std::string> PrincipalsOf(const IdentityConfig& config) {
  std::set<std::string> principals;
  for (const ServiceAccount& account : config.service_accounts) principals.insert(account.email);
  for (const AuthorizedUser& user : config.authorized_users) principals.insert(user.email);
  for (const ExternalAccount& account : config.external_accounts) {
    for (const auto& token : account.subject_tokens) principals.insert(token.principal);
  }
  return principals;
}

std::string ReadPrincipal(JsonFields& fields, const std::set<std::string>& principals) {
  std::string principal = fields.String("principal");
  if (!principals.contains(principal)) fields.Refuse("principal", "'" + principal + "' is not among the principals");
  return principal;
}

std::string ReadServiceAccountName(JsonFields& fields, const IdentityConfig& config) {
  std::string email = fields.String("service_account");
  if (config.FindServiceAccount(email) == nullptr) {
    fields.Refuse("service_account", "'" + email + "' is not among the service accounts");
  }
  return email;
}

RoleBinding ReadRole(JsonFields fields, const std::set<std::string>& principals) {
  RoleBinding binding{.principal = ReadPrincipal(fields, principals), .bucket = fields.String("bucket")};
  const std::string name = fields.String("role");
  const std::optional<Role> role = FindRole(name);
  if (!role) fields.Refuse("role", "'" + name + "' is not one of viewer, creator, user and admin");
  binding.role = *role;
  fields.RefuseOthers();
  return binding;
}

Impersonation ReadImpersonation(JsonFields fields, const IdentityConfig& config) {
  Impersonation impersonation{.principal = ReadPrincipal(fields, PrincipalsOf(config)),
                              .service_account = ReadServiceAccountName(fields, config)};
  fields.RefuseOthers();
  return impersonation;
}

MetadataServerAccount ReadMetadataServer(JsonFields fields, const IdentityConfig& config) {
  MetadataServerAccount account{.service_account = ReadServiceAccountName(fields, config),
                                .scopes = fields.Strings("scopes")};
  if (account.scopes.empty()) account.scopes = {"https://www.googleapis.com/auth/cloud-platform"};
  fields.RefuseOthers();
  return account;
}

std::chrono::seconds ReadTokenLifetime(JsonFields& fields, std::chrono::seconds otherwise) {
  const auto seconds = fields.OptionalInteger("token_lifetime_seconds");
  if (!seconds) return otherwise;
  if (*seconds < 1 || *seconds > kMaxTokenLifetime) {
    fields.Refuse("token_lifetime_seconds", "must be between 1 and " + std::to_string(kMaxTokenLifetime));
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace

const ServiceAccount* IdentityConfig::FindServiceAccount(std::string_view email) const {
  const auto found = std::find_if(service_accounts.begin(), service_accounts.end(),
                                  [&](const ServiceAccount& account) { return account.email == email; });
  return found != service_accounts.end() ? &*found : nullptr;
}

IdentityConfig ParseIdentityConfig(std::string_view text) {
  const json parsed = ParseBoundedJson(text, kOnlyDepth);
  if (parsed.is_discarded()) throw std::invalid_argument("auth config: is not JSON");
  JsonFields fields(parsed, "");
  IdentityConfig config;
  config.project_id = fields.OptionalString("project_id").value_or("test-project");
  config.token_lifetime = ReadTokenLifetime(fields, config.token_lifetime);
  for (JsonFields& account : fields.Objects("service_accounts")) {
    config.service_accounts.push_back(ReadServiceAccount(account));
  }
  for (JsonFields& user : fields.Objects("authorized_users")) {
    config.authorized_users.push_back(ReadAuthorizedUser(user));
  }
  for (JsonFields& account : fields.Objects("external_accounts")) {
    config.external_accounts.push_back(ReadExternalAccount(account));
  }
  // What follows names principals, so all of them must be known.
  std::set<std::string> principals = PrincipalsOf(config);
  for (JsonFields& impersonation : fields.Objects("impersonations")) {
    config.impersonations.push_back(ReadImpersonation(impersonation, config));
  }
  principals.insert("allUsers");
  for (JsonFields& role : fields.Objects("roles")) config.roles.push_back(ReadRole(role, principals));
  if (const auto machine = fields.OptionalObject("metadata_server")) {
    config.metadata_server = ReadMetadataServer(*machine, config);
  }
  fields.RefuseOthers();
  return config;
}

}  // namespace gcsflux::emulator
