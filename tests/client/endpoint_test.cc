#include "client/endpoint.h"

#include <gtest/gtest.h>

#include <map>

#include "gcsflux/client.h"
#include "support/fails_with.h"

namespace gcsflux {
namespace {

using internal::ResolveEndpoint;

internal::GetEnv Environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(ResolveEndpoint, PrefersOptionsThenTheEmulatorVariables) {
  EXPECT_EQ(*ResolveEndpoint({}, Environment({})), "https://storage.googleapis.com");
  EXPECT_EQ(*ResolveEndpoint({}, Environment({{"CLOUD_STORAGE_TESTBENCH_ENDPOINT", "http://c:3"}})), "http://c:3");
  EXPECT_EQ(*ResolveEndpoint({}, Environment({{"CLOUD_STORAGE_TESTBENCH_ENDPOINT", "http://c:3"},
                                              {"CLOUD_STORAGE_EMULATOR_ENDPOINT", "http://b:2"}})),
            "http://b:2");
  const auto all = Environment({{"CLOUD_STORAGE_TESTBENCH_ENDPOINT", "http://c:3"},
                                {"CLOUD_STORAGE_EMULATOR_ENDPOINT", "http://b:2"},
                                {"STORAGE_EMULATOR_HOST", "a:1"}});
  EXPECT_EQ(*ResolveEndpoint({}, all), "http://a:1");  // The scheme is optional.
  EXPECT_EQ(*ResolveEndpoint({.endpoint = "https://d/"}, all), "https://d");
  EXPECT_EQ(*ResolveEndpoint({}, Environment({{"STORAGE_EMULATOR_HOST", ""}})), "https://storage.googleapis.com");
}

TEST(ResolveEndpoint, RefusesAnInvalidEndpointAndNamesItsSource) {
  for (const char* text : {"ftp://a", "http://", "http://a/path", "http://a?b", "http://a b", "http://u@a", "://a"}) {
    const auto endpoint = ResolveEndpoint({}, Environment({{"STORAGE_EMULATOR_HOST", text}}));
    ASSERT_TRUE(testing::FailsWith(endpoint, ErrorCode::kInvalidArgument)) << text;
    EXPECT_NE(endpoint.error().message.find("STORAGE_EMULATOR_HOST"), std::string::npos);
  }
}

TEST(ResolveEndpoint, HidesPasswords) {
  for (const char* text : {"http://user:hunter2@host", "user:hunter2@host:9000", "http://hunter2@host/path",
                           "https://user:hun/hunter2@host", "http://u:hunter2@h@host"}) {
    const auto endpoint = ResolveEndpoint({.endpoint = text}, Environment({}));
    ASSERT_FALSE(endpoint.ok()) << text;
    EXPECT_EQ(endpoint.error().message.find("hunter2"), std::string::npos) << endpoint.error().message;
    EXPECT_NE(endpoint.error().message.find("[secret]@"), std::string::npos) << endpoint.error().message;
  }
}

TEST(IsLoopback, RecognisesLoopbackHosts) {
  for (const char* here :
       {"http://localhost", "http://localhost:1", "http://127.0.0.1:9", "http://127.1.2.3", "http://[::1]:80"}) {
    EXPECT_TRUE(internal::IsLoopback(here)) << here;
  }
  for (const char* there : {"http://localhost.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1",
                            "http://[::2]", "http://127x"}) {
    EXPECT_FALSE(internal::IsLoopback(there)) << there;
  }
}

TEST(ClientCreate, NeverSendsATokenInTheClear) {
  const auto client =
      Client::Create({.endpoint = "http://example.com", .credentials = Credentials::AccessToken("s3cret")});
  ASSERT_TRUE(testing::FailsWith(client, ErrorCode::kInvalidArgument));
  EXPECT_EQ(client.error().message.find("s3cret"), std::string::npos);
  EXPECT_TRUE(Client::Create({.endpoint = "https://example.com", .credentials = Credentials::AccessToken("s")}).ok());
  EXPECT_TRUE(Client::Create({.endpoint = "http://127.0.0.1:1", .credentials = Credentials::AccessToken("s")}).ok());
  EXPECT_FALSE(Client::Create({.endpoint = "https://a", .credentials = Credentials::AccessToken("s\r\nx: y")}).ok());
}

TEST(ClientCreate, RefusesOptionsOutOfRange) {
  const ClientOptions here{.endpoint = "http://127.0.0.1:1"};
  const auto refused = [&](auto change) {
    ClientOptions options = here;
    change(options);
    const auto client = Client::Create(options);
    return !client.ok() && client.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](ClientOptions& o) { o.retry.list.multiplier = 0.9; }));
  EXPECT_TRUE(refused([](ClientOptions& o) { o.retry.upload.max_attempts = 0; }));
  EXPECT_TRUE(refused([](ClientOptions& o) { o.retry.metadata.deadline = std::chrono::milliseconds(-1); }));
  EXPECT_TRUE(refused([](ClientOptions& o) { o.connect_timeout = std::chrono::milliseconds(0); }));
  EXPECT_TRUE(refused([](ClientOptions& o) { o.stall_timeout = std::chrono::seconds(0); }));
  EXPECT_TRUE(refused([](ClientOptions& o) { o.max_idle_connections = -1; }));
}

}  // namespace
}  // namespace gcsflux
