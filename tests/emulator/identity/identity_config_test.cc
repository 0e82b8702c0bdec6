// The configuration of identities: an error names the field, and nothing of the configuration is used.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "identity/config.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

std::string ErrorOf(const std::string& text) {
  try {
    (void)ParseIdentityConfig(text);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(IdentityConfig, ReadsEveryField) {
  const IdentityConfig config = ParseIdentityConfig(IdentityConfigText());
  EXPECT_EQ(config.project_id, "test-project");
  EXPECT_EQ(config.token_lifetime, std::chrono::seconds(1000));
  ASSERT_EQ(config.service_accounts.size(), 5U);
  EXPECT_EQ(config.service_accounts[0].keys.at(0).id, "key-1");
  EXPECT_EQ(config.authorized_users.at(0).refresh_token, kRefreshToken);
  EXPECT_EQ(config.external_accounts.at(0).subject_token_type, "urn:ietf:params:oauth:token-type:jwt");
  EXPECT_EQ(config.external_accounts.at(0).subject_tokens.at(0).principal, kWorkload);
  EXPECT_EQ(config.impersonations.size(), 2U);
  EXPECT_EQ(config.roles.size(), 7U);
  EXPECT_EQ(config.metadata_server.value().service_account, kViewerEmail);
  EXPECT_EQ(config.metadata_server.value().scopes.size(), 1U);
}

TEST(IdentityConfig, MayBeEmpty) {
  const IdentityConfig config = ParseIdentityConfig("{}");
  EXPECT_EQ(config.token_lifetime, std::chrono::hours(1));
  EXPECT_FALSE(config.metadata_server);
}

struct WrongConfig {
  const char* name;
  std::function<void(json&)> spoil;
  const char* want;
};

const std::vector<WrongConfig> kWrongConfigs = {
    {"unknown field", [](json& c) { c["rolls"] = json::array(); }, "rolls: is not a known field"},
    {"lifetime no number", [](json& c) { c["token_lifetime_seconds"] = "1h"; },
     "token_lifetime_seconds: must be a whole"},
    {"lifetime fraction", [](json& c) { c["token_lifetime_seconds"] = 1.5; },
     "token_lifetime_seconds: must be a whole"},
    {"lifetime zero", [](json& c) { c["token_lifetime_seconds"] = 0; }, "token_lifetime_seconds: must be between"},
    {"lifetime too long", [](json& c) { c["token_lifetime_seconds"] = 43201; },
     "token_lifetime_seconds: must be between"},
    {"accounts no array", [](json& c) { c["service_accounts"] = "x"; }, "service_accounts: must be an array"},
    {"account no object", [](json& c) { c["service_accounts"][1] = 7; }, "service_accounts[1]: must be a JSON object"},
    {"no email", [](json& c) { c["service_accounts"][1].erase("email"); }, "service_accounts[1].email: is missing"},
    {"empty email", [](json& c) { c["service_accounts"][1]["email"] = ""; },
     "service_accounts[1].email: must not be empty"},
    {"null email", [](json& c) { c["service_accounts"][1]["email"] = nullptr; },
     "service_accounts[1].email: must be a string"},
    {"mistyped", [](json& c) { c["service_accounts"][1]["kezs"] = 1; },
     "service_accounts[1].kezs: is not a known field"},
    {"no key", [](json& c) { c["service_accounts"][0]["keys"][0]["public_key"] = "PEM"; },
     "service_accounts[0].keys[0].public_key: is not an RSA key"},
    {"key without id", [](json& c) { c["service_accounts"][0]["keys"][0].erase("private_key_id"); },
     "service_accounts[0].keys[0].private_key_id: is missing"},
    {"key file absent",
     [](json& c) {
       c["service_accounts"][0] = {{"key_file", "/no/such/file"}};
     },
     "service_accounts[0].key_file: cannot be read"},
    {"key file is a directory",
     [](json& c) {
       c["service_accounts"][0] = {{"key_file", "/"}};
     },
     "service_accounts[0].key_file: cannot be read"},
    {"user without secret", [](json& c) { c["authorized_users"][0].erase("client_secret"); },
     "authorized_users[0].client_secret: is missing"},
    {"secret no string", [](json& c) { c["authorized_users"][0]["refresh_token"] = 7; },
     "authorized_users[0].refresh_token: must be a string"},
    {"no audience", [](json& c) { c["external_accounts"][0].erase("audience"); },
     "external_accounts[0].audience: is missing"},
    {"subject without principal", [](json& c) { c["external_accounts"][0]["subject_tokens"][0].erase("principal"); },
     "external_accounts[0].subject_tokens[0].principal: is missing"},
    {"unknown impersonator", [](json& c) { c["impersonations"][1]["principal"] = "x@y"; },
     "impersonations[1].principal: 'x@y' is not among"},
    {"impersonated user", [](json& c) { c["impersonations"][1]["service_account"] = kPersonEmail; },
     "impersonations[1].service_account: 'person@example.com' is not among"},
    {"unknown role", [](json& c) { c["roles"][2]["role"] = "owner"; }, "roles[2].role: 'owner' is not one of"},
    {"role without bucket", [](json& c) { c["roles"][2].erase("bucket"); }, "roles[2].bucket: is missing"},
    {"role of a stranger", [](json& c) { c["roles"][2]["principal"] = "x@y"; },
     "roles[2].principal: 'x@y' is not among"},
    {"machine's account", [](json& c) { c["metadata_server"]["service_account"] = "x@y"; },
     "metadata_server.service_account: 'x@y' is not among"},
    {"scope no string",
     [](json& c) {
       c["metadata_server"]["scopes"] = json::array({"a", 1});
     },
     "metadata_server.scopes[1]: must be a string"},
};

TEST(IdentityConfig, NamesTheWrongField) {
  const json good = json::parse(IdentityConfigText());
  for (const WrongConfig& wrong : kWrongConfigs) {
    json config = good;
    wrong.spoil(config);
    const std::string error = ErrorOf(config.dump());
    EXPECT_TRUE(error.starts_with(std::string("auth config: ") + wrong.want)) << wrong.name << ": " << error;
    for (const char* secret : {kRefreshToken, kClientSecret, kSubjectToken, "-----BEGIN"}) {
      EXPECT_EQ(error.find(secret), std::string::npos) << wrong.name;
    }
  }
}

TEST(IdentityConfig, RefusesOtherThanAJsonObject) {
  EXPECT_EQ(ErrorOf(""), "auth config: is not JSON");
  EXPECT_EQ(ErrorOf("{\"roles\": ["), "auth config: is not JSON");
  EXPECT_EQ(ErrorOf("[]"), "auth config: must be a JSON object");
}

TEST(IdentityConfig, AcceptsAnUnchangedKeyFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("gcsflux-key-" + std::to_string(::getpid()) + ".json");
  std::ofstream(path) << json{{"type", "service_account"},
                              {"client_email", kViewerEmail},
                              {"private_key_id", "key-7"},
                              {"private_key", TestKey(1).private_key}};
  const json config = {{"service_accounts", json::array({{{"key_file", path.string()}}})}};
  const IdentityConfig parsed = ParseIdentityConfig(config.dump());
  std::filesystem::remove(path);
  ASSERT_EQ(parsed.service_accounts.size(), 1U);
  EXPECT_EQ(parsed.service_accounts[0].email, kViewerEmail);
  EXPECT_EQ(parsed.service_accounts[0].keys.at(0).id, "key-7");
  EXPECT_TRUE(parsed.service_accounts[0].keys.at(0).key.Verifies("text", SignRs256("text", TestKey(1).private_key)));
}

}  // namespace
}  // namespace gcsflux::emulator
