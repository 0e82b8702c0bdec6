#include "gcsflux/credentials.h"

#include <utility>

#include "auth/credential_config.h"
#include "auth/find_credentials.h"

namespace gcsflux {
namespace {

template <class Kind>
Credentials Make(Kind kind) {
  return Credentials(
      std::make_shared<const internal::CredentialConfig>(internal::CredentialConfig{.kind = std::move(kind)}));
}

}  // namespace

Credentials Credentials::Anonymous() { return Make(internal::AnonymousAccess{}); }
Credentials Credentials::AccessToken(std::string token) { return Make(internal::FixedToken{std::move(token)}); }
Credentials Credentials::ApplicationDefault() { return Make(internal::ApplicationDefault{}); }

Result<Credentials> Credentials::FromFile(const std::string& path) {
  auto config = internal::LoadCredentials(path, "Credentials::FromFile", internal::ReadLocalFile);
  if (!config) return config.error();
  return Credentials(std::make_shared<const internal::CredentialConfig>(*std::move(config)));
}

}  // namespace gcsflux
