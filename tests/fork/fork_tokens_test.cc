// A child continues with its parent's token.
#include <gtest/gtest.h>

#include "auth/credential_files.h"
#include "emulator/support/identity_fixture.h"
#include "fork/fork_fixture.h"

namespace gcsflux {
namespace {

using testing::Failure;
using testing::InChild;

class ForkTokensTest : public testing::ForkTest {
 protected:
  void SetUp() override {
    Start(/*is_tls=*/true,
          {"--auth_config=" + directory_.Write("identity.json", emulator::IdentityConfigText()), "--require_auth"});
  }

  [[nodiscard]] Client MakeClient() {
    auto file = testing::ServiceAccountFile(emulator_->endpoint());
    file["client_email"] = emulator::kAdminEmail;
    ClientOptions options = Options();
    options.credentials = *Credentials::FromFile(directory_.Write("key.json", file.dump()));
    return *Client::Create(options);
  }

  [[nodiscard]] std::size_t TokenRequests() const { return CountIn("journal", "\"oauth2.token\""); }
};

TEST_F(ForkTokensTest, ChildKeepsTheParentsToken) {
  const Client client = MakeClient();
  ASSERT_EQ(Failure(client.InsertBucket(kBucket)), "");
  ASSERT_EQ(TokenRequests(), 1U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(InChild([&] { return Failure(client.GetBucket(kBucket)); }), "");
  }
  EXPECT_EQ(TokenRequests(), 1U);
}

TEST_F(ForkTokensTest, ChildFetchesATokenIfTheParentHasNone) {
  const Client client = MakeClient();
  EXPECT_EQ(InChild([&] { return Failure(client.InsertBucket(kBucket)); }), "");
  EXPECT_EQ(TokenRequests(), 1U);
  EXPECT_EQ(Failure(client.GetBucket(kBucket)), "");
  EXPECT_EQ(TokenRequests(), 2U);
}

}  // namespace
}  // namespace gcsflux
