// A client over real sockets and the emulator's clock: expiring tokens, many threads that need one, calls that stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "auth/credential_files.h"
#include "auth/identity_service.h"
#include "auth/parse_credentials.h"
#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/raw_server.h"

namespace gcsflux {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// The user, who may do everything in the bucket "bucket".
class ClientRenewalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    nlohmann::json admin = testing::ServiceAccountFile(service_.endpoint());
    admin["client_email"] = emulator::kAdminEmail;
    ASSERT_TRUE(MakeClient(admin).InsertBucket("bucket").ok());
    client_.emplace(MakeClient(testing::AuthorizedUserFile(service_.endpoint())));
    before_ = service_.Count("oauth2.token");
  }

  // `timing` is the emulator's by default.
  Client MakeClient(const nlohmann::json& file, std::unique_ptr<internal::Timing> timing = nullptr) {
    const auto config = internal::ParseCredentials(file.dump());
    EXPECT_TRUE(config.ok()) << config.error().message;
    if (!timing) timing = std::make_unique<testing::EmulatorTiming>(service_.emulator());
    ClientCore::Settings settings{
        .endpoint = service_.endpoint(),
        .project = "project",
        .authorization = {std::make_shared<internal::TokenCache>(internal::MakeTokenSource(*config, false))}};
    return ClientOf(
        std::make_shared<const ClientCore>(std::move(settings), service_.MakeTransport(), std::move(timing)));
  }

  Result<ObjectMetadata> Put() { return client_->InsertObject({"bucket", "o"}, AsBytes("content")); }
  [[nodiscard]] std::uint64_t Refreshes() const { return service_.Count("oauth2.token") - before_; }

  testing::IdentityService service_;
  std::optional<Client> client_;
  std::uint64_t before_ = 0;
};

TEST_F(ClientRenewalTest, RenewsTokensBeforeTheServiceRefusesThem) {
  for (int hour = 0; hour < 5; ++hour) {
    const auto stored = Put();
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    service_.emulator().clock().Advance(seconds(3600));
  }
  EXPECT_EQ(Refreshes(), 5U);
  EXPECT_EQ(service_.Count("storage.objects.insert", 401), 0U);
}

TEST_F(ClientRenewalTest, FetchesOneTokenForManyThreads) {
  for (const std::uint64_t round : {1U, 2U, 3U}) {
    std::atomic<int> stored = 0;
    std::vector<std::jthread> threads;
    threads.reserve(16);
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 4; ++k) stored += client_->ListObjects({"bucket"}).ok();
      });
    }
    threads.clear();
    EXPECT_EQ(stored, 64);
    EXPECT_EQ(Refreshes(), round);
    // First before the token expires, then after it.
    service_.emulator().clock().Advance(round == 1 ? seconds(800) : seconds(2000));
  }
  EXPECT_EQ(service_.Count("storage.objects.list", 401), 0U);
}

TEST_F(ClientRenewalTest, RenewsARefusedToken) {
  // Its own clock stands still: only the refusal tells it that the token has expired.
  client_.emplace(
      MakeClient(testing::AuthorizedUserFile(service_.endpoint()), std::make_unique<testing::DrivenTiming>()));
  ASSERT_TRUE(Put().ok());
  service_.emulator().clock().Advance(seconds(2000));
  ASSERT_TRUE(Put().ok());
  EXPECT_EQ(Refreshes(), 2U);
  EXPECT_EQ(service_.Count("storage.objects.insert", 401), 1U);
  const auto journal = service_.emulator().journal();
  const auto& last = journal.back();
  EXPECT_EQ(last.operation, "storage.objects.insert");
  EXPECT_EQ(last.attempt, 2);
  EXPECT_EQ(last.status, 200);
}

TEST_F(ClientRenewalTest, ContinuesReadsAndWritesAfterATokenExpires) {
  client_.emplace(
      MakeClient(testing::AuthorizedUserFile(service_.endpoint()), std::make_unique<testing::DrivenTiming>()));
  const std::string chunk(256 << 10, 'x');
  ObjectWriter writer(*client_, {"bucket", "large"}, {.chunk_bytes = chunk.size(), .path = WritePath::kOneStream});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(writer.Write(AsBytes(chunk)).ok());
    service_.emulator().clock().Advance(seconds(2000));
  }
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  service_.emulator().clock().Advance(seconds(2000));
  const auto read = client_->ReadObject({"bucket", "large"});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, chunk + chunk + chunk);
  EXPECT_EQ(service_.Count("storage.objects.get", 401), 1U);
}

TEST_F(ClientRenewalTest, KeepsSecretsOutOfTheJournal) {
  ASSERT_TRUE(Put().ok());
  for (const auto& request : service_.emulator().journal()) {
    EXPECT_THAT(request.target, Not(HasSubstr(emulator::kRefreshToken)));
    EXPECT_THAT(request.target, Not(HasSubstr("ya29")));
  }
}

TEST(ClientCancellation, EndsACallDuringAStalledTokenRequest) {
  std::stop_source stop;
  const testing::RawServer server([&](testing::RawServer::Connection& connection) {
    connection.ReadHead();
    stop.request_stop();
    connection.WaitForClose();
  });
  const auto config = internal::ParseCredentials(testing::AuthorizedUserFile(server.endpoint()).dump());
  ClientCore::Settings settings{
      .endpoint = server.endpoint(),
      .project = "project",
      .authorization = {std::make_shared<internal::TokenCache>(internal::MakeTokenSource(*config, false))}};
  const Client client = ClientOf(std::make_shared<const ClientCore>(
      std::move(settings), internal::MakeCurlTransport({}), std::make_unique<testing::DrivenTiming>()));
  EXPECT_TRUE(testing::FailsWith(client.GetBucket("bkt", {.stop = stop.get_token()}), ErrorCode::kCancelled));
}

TEST(ClientProxies, NeverSeeATokenInTheClear) {
  const testing::RawServer server([](testing::RawServer::Connection& c) {
    c.ReadHead();
    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"name\":\"bkt\"}");
  });
  const std::string proxy = testing::RefusingEndpoint();
  setenv("http_proxy", proxy.c_str(), /*overwrite=*/1);
  const auto client = Client::Create({.endpoint = server.endpoint(),
                                      .credentials = Credentials::AccessToken("the-token"),
                                      .retry = RetryPolicies::All({.max_attempts = 1})});
  const auto bucket = client->GetBucket("bkt");
  unsetenv("http_proxy");
  EXPECT_TRUE(bucket.ok()) << bucket.error().message;
  EXPECT_EQ(server.connections(), 1);
}

TEST(ClientRedirects, DoNotReceiveTheToken) {
  const testing::RawServer elsewhere([](testing::RawServer::Connection& c) { c.ReadHead(); });
  const testing::RawServer server(testing::Answering(
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: " + elsewhere.endpoint() + "/\r\nContent-Length: 0\r\n\r\n"));
  const auto client =
      Client::Create({.endpoint = server.endpoint(), .credentials = Credentials::AccessToken("the-token")});
  ASSERT_TRUE(client.ok());
  EXPECT_FALSE(client->GetBucket("bkt").ok());
  EXPECT_EQ(elsewhere.connections(), 0);
}

}  // namespace
}  // namespace gcsflux
