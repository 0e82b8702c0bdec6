#include "gcsflux/credentials.h"

#include <utility>

#include "auth/credential_config.h"
#include "auth/find_credentials.h"

namespace gcsflux {
Credentials Credentials::Anonymous() { return CredentialsOf({.kind = internal::AnonymousAccess{}}); }
Credentials Credentials::AccessToken(std::string token) {
  return CredentialsOf({.kind = internal::FixedToken{std::move(token)}});
}
Credentials Credentials::ApplicationDefault() { return CredentialsOf({.kind = internal::ApplicationDefault{}}); }

Result<Credentials> Credentials::FromFile(const std::string& path) {
  auto config = internal::LoadCredentials(path, "Credentials::FromFile", internal::ReadLocalFile);
  if (!config) return config.error();
  return CredentialsOf(*std::move(config));
}

}  // namespace gcsflux
