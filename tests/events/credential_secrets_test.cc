// No secret of a credential or a proxy is shown: the token endpoint and the proxy repeat everything they receive.
#include <gtest/gtest.h>

#include <cstdlib>

#include "events/echo_server.h"
#include "events/heard.h"
#include "gcsflux/client.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using testing::EchoServer;
using testing::Heard;
using testing::PieceFinder;

constexpr std::string_view kClientSecret = R"(GOCSPX-Zk3!Q'v#W$9%R&t(U)7*x+L,p/2:q;J<s=B>4?v@w[H]8^A_F`6{D|E}G~K)";
constexpr std::string_view kRefreshToken = R"(1//0gYp5!T'h#N$1%c&X(i)0*j+V,k/3:m;I<o=S>7?r@u[C]9^b_a`2{d|e}f~g)";
constexpr std::string_view kPassword = "hQ7(w)Z3*x;K9=p,V5!tB8$m'R2";
constexpr std::string_view kPasswordInUrl = "hQ7(w)Z3*x;K9=p,V5!tB8%24m'R2";

const RetryPolicies kTwice =
    RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = 2, .budget = 1});

TEST(CredentialSecrets, NeverAppearInMessagesLogsOrTraces) {
  const testing::TestDirectory directory;
  EchoServer server("/s");
  Heard heard;
  const PieceFinder finder({std::string(kClientSecret), std::string(kRefreshToken)});
  const auto credentials = Credentials::FromFile(directory.Write(
      "user.json", R"({"type":"authorized_user","client_id":"the-client","client_secret":")" +
                       std::string(kClientSecret) + R"(","refresh_token":")" + std::string(kRefreshToken) +
                       R"(","token_uri":")" + server.endpoint() + R"(/token"})"));
  ASSERT_TRUE(credentials.ok()) << credentials.error().message;
  const Client client = *Client::Create({.endpoint = server.endpoint(),
                                         .credentials = *credentials,
                                         .project = "test",
                                         .retry = kTwice,
                                         .event_listener = heard.listener()});
  std::size_t hidden = 0;
  for (const int status : {200, 302, 400, 401, 403, 429, 503}) {
    for (const EchoServer::Place place : EchoServer::kPlaces) {
      for (const testing::Spelling& spelling : testing::kSpellings) {
        server.status = status;
        server.place = place;
        server.spelling = spelling.write;
        heard.MustFail(client.GetBucket("bkt"));
        const std::string text = heard.Take();
        hidden += text.find("[secret]") == std::string::npos ? 0 : 1;
        EXPECT_EQ(finder.Find(text), "") << status << ", " << spelling.name << ", place " << static_cast<int>(place);
      }
    }
  }
  EXPECT_GE(hidden, 10U) << "too little was repeated to show anything";
  EXPECT_EQ(finder.Find(heard.Trace()), "");
}

TEST(ProxySecrets, NeverAppearInMessagesLogsOrTraces) {
  EchoServer proxy("/s");
  const std::string url = "http://trainer:" + std::string(kPasswordInUrl) + "@" + proxy.endpoint().substr(7);
  const PieceFinder finder({std::string(kPassword), testing::Base64("trainer:" + std::string(kPassword))});
  for (const bool is_of_environment : {false, true}) {
    Heard heard;
    if (is_of_environment) setenv("http_proxy", url.c_str(), /*overwrite=*/1);
    const Client client = *Client::Create({.endpoint = "http://storage.test",
                                           .credentials = Credentials::Anonymous(),
                                           .project = "test",
                                           .retry = kTwice,
                                           .pace_throttled = false,
                                           .proxy = is_of_environment ? std::nullopt : std::optional(url),
                                           .event_listener = heard.listener()});
    std::size_t hidden = 0;
    for (const int status : {200, 400, 403, 407, 503}) {
      for (const testing::Spelling& spelling : testing::kSpellings) {
        proxy.status = status;
        proxy.place = EchoServer::Place::kJson;
        proxy.spelling = spelling.write;
        heard.MustFail(client.GetBucket("bkt"));
        const std::string text = heard.Take();
        hidden += text.find("[secret]") == std::string::npos ? 0 : 1;
        EXPECT_EQ(finder.Find(text), "") << status << ", " << spelling.name;
      }
    }
    EXPECT_GE(hidden, 20U) << "too little was repeated to show anything";
    EXPECT_EQ(finder.Find(heard.Trace()), "");
  }
  unsetenv("http_proxy");
  EXPECT_GE(proxy.served(), 2 * 5 * 14);
}

}  // namespace
}  // namespace gcsflux
