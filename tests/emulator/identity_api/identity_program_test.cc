// The gcsflux-emulator program with TLS and identities.

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "emulator/support/program.h"
#include "emulator/support/tls_connection.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

class IdentityProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("certificate", certificate_.certificate);
    Write("key", certificate_.private_key);
    Write("config", IdentityConfigText());
  }

  void Write(const std::string& name, const std::string& text) { static_cast<void>(directory_.Write(name, text)); }
  [[nodiscard]] std::string Path(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] std::string Flag(const std::string& flag, const std::string& name) const {
    return "--" + flag + "=" + Path(name);
  }

  const CertificatePem certificate_ = MakeCertificate();
  const testing::TestDirectory directory_;
};

TEST_F(IdentityProgramTest, ServesHttpsWithATokenAndLogsNoToken) {
  Program program(
      {Flag("tls_cert", "certificate"), Flag("tls_key", "key"), Flag("auth_config", "config"), "--require_auth"});
  const std::string line = program.ReadOutputLine();
  ASSERT_TRUE(line.starts_with(std::string(kReady) + "https://127.0.0.1:")) << line << program.ReadErrors();
  TlsConnection client(line.substr(kReady.size()), {.trusted = certificate_.certificate});
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket/o").status, 401);
  const RawResponse issued =
      client.Call("GET", "/computeMetadata/v1/instance/service-accounts/default/token", "Metadata-Flavor: Google\r\n");
  const std::string token = nlohmann::json::parse(issued.body).at("access_token").get<std::string>();
  const std::string bearer = "Authorization: Bearer " + token + "\r\n";
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket/o", bearer).status, 404) << "may look, but there is no bucket";
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/other/o", bearer).status, 403);
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_EQ(program.ReadOutput() + program.ReadErrors(), "");
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(IdentityProgramTest, RefusesFlagsThatLackAnother) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{Flag("tls_cert", "certificate")}, {Flag("tls_key", "key")}, {"--require_auth"}}) {
    Program program(arguments);
    EXPECT_EQ(program.ReadOutput(), "") << arguments[0];
    const std::string errors = program.ReadErrors();
    EXPECT_EQ(program.Wait(), 2) << arguments[0];
    EXPECT_NE(errors.find("--help"), std::string::npos) << errors;
  }
}

TEST_F(IdentityProgramTest, RefusesWrongFilesWithTheReason) {
  struct Case {
    std::vector<std::string> arguments;
    std::string want;
  };
  Write("empty", "");
  Write("typo", R"({"rolls":[]})");
  const std::string cert = Flag("tls_cert", "certificate");
  const std::vector<Case> cases = {
      {{Flag("tls_cert", "absent"), Flag("tls_key", "key")}, "--tls_cert=" + Path("absent")},
      {{cert, Flag("tls_key", "empty")}, "--tls_key=" + Path("empty")},
      {{cert, "--tls_key=" + Path("")}, "--tls_key=" + Path("")},
      {{cert, Flag("tls_key", "config")}, "the TLS key is not a private key"},
      {{Flag("tls_cert", "key"), Flag("tls_key", "key")}, "the TLS certificate is not a certificate"},
      {{Flag("auth_config", "absent")}, "--auth_config=" + Path("absent")},
      {{Flag("auth_config", "typo")}, "auth config: rolls: is not a known field"},
      {{Flag("auth_config", "key")}, "auth config: is not JSON"},
  };
  for (const Case& bad : cases) {
    Program program(bad.arguments);
    EXPECT_EQ(program.ReadOutput(), "") << bad.want;
    const std::string errors = program.ReadErrors();
    EXPECT_EQ(program.Wait(), 1) << bad.want;
    EXPECT_TRUE(errors.starts_with("gcsflux-emulator: " + bad.want)) << errors;
    EXPECT_EQ(errors.find("-----BEGIN"), std::string::npos) << bad.want;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
