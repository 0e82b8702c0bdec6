#include "auth/credential_files.h"

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"

namespace gcsflux::testing {

using namespace gcsflux::emulator;
using nlohmann::json;

json ServiceAccountFile(const std::string& endpoint) {
  return {{"type", "service_account"},          {"project_id", "test-project"},
          {"private_key_id", "key-1"},          {"private_key", TestKey(1).private_key},
          {"client_email", kViewerEmail},       {"token_uri", endpoint + "/token"},
          {"universe_domain", "googleapis.com"}};
}

json AuthorizedUserFile(const std::string& endpoint) {
  return {{"type", "authorized_user"},
          {"client_id", "client"},
          {"client_secret", kClientSecret},
          {"refresh_token", kRefreshToken},
          {"token_uri", endpoint + "/token"}};
}

json ImpersonatedFile(const std::string& endpoint) {
  return {{"type", "impersonated_service_account"},
          {"service_account_impersonation_url", ImpersonationUrl(endpoint, kUserEmail)},
          {"delegates", json::array()},
          {"source_credentials", ServiceAccountFile(endpoint)}};
}

json ExternalAccountFile(const std::string& endpoint) {
  return {{"type", "external_account"},
          {"audience", kAudience},
          {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"},
          {"token_url", endpoint + "/v1/token"}};
}

std::string ImpersonationUrl(const std::string& endpoint, const std::string& email) {
  return endpoint + "/v1/projects/-/serviceAccounts/" + email + ":generateAccessToken";
}

}  // namespace gcsflux::testing
