#include "emulator/support/identity_fixture.h"

#include <nlohmann/json.hpp>

#include "emulator/support/crypto_fixtures.h"

namespace gcsflux::emulator {

using nlohmann::json;

std::string IdentityConfigText() {
  const json keys = json::array({{{"private_key_id", "key-1"}, {"public_key", TestKey(1).public_key}}});
  json config = {{"project_id", "test-project"}, {"token_lifetime_seconds", 1000}};
  for (const char* email : {kAdminEmail, kViewerEmail, kCreatorEmail, kUserEmail, kCollectorEmail}) {
    config["service_accounts"].push_back({{"email", email}, {"keys", keys}});
  }
  config["authorized_users"] = json::array({{{"email", kPersonEmail},
                                             {"client_id", "client"},
                                             {"client_secret", kClientSecret},
                                             {"refresh_token", kRefreshToken}}});
  config["external_accounts"] =
      json::array({{{"audience", kAudience},
                    {"subject_tokens", json::array({{{"token", kSubjectToken}, {"principal", kWorkload}}})}}});
  config["impersonations"] = json::array({{{"principal", kWorkload}, {"service_account", kViewerEmail}},
                                          {{"principal", kViewerEmail}, {"service_account", kUserEmail}}});
  config["metadata_server"] = {{"service_account", kViewerEmail}};
  config["roles"] = json::array({{{"principal", kAdminEmail}, {"bucket", "*"}, {"role", "admin"}},
                                 {{"principal", kViewerEmail}, {"bucket", "bucket"}, {"role", "viewer"}},
                                 {{"principal", kCreatorEmail}, {"bucket", "bucket"}, {"role", "creator"}},
                                 {{"principal", kUserEmail}, {"bucket", "bucket"}, {"role", "user"}},
                                 {{"principal", kCollectorEmail}, {"bucket", "bucket"}, {"role", "viewer"}},
                                 {{"principal", kCollectorEmail}, {"bucket", "bucket"}, {"role", "creator"}},
                                 {{"principal", kPersonEmail}, {"bucket", "bucket"}, {"role", "user"}}});
  return config.dump();
}

}  // namespace gcsflux::emulator
