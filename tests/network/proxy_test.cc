// Requests through a proxy, past it, and the errors if the proxy fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "emulator/support/crypto_fixtures.h"
#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/forward_proxy.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using testing::ForwardProxy;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RawServer;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Each test has a process of its own.
class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest() {
    for (const char* name :
         {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"})
      unsetenv(name);
  }

  static Client MakeClient(ClientOptions options) {
    options.project = "test";
    options.retry = RetryPolicies::All({.max_attempts = 1});
    return *Client::Create(options);
  }
};

TEST_F(ProxyTest, ForwardsPlainRequestsUnlessExcepted) {
  emulator::Emulator emulator;
  ForwardProxy proxy;
  {
    const Client client = MakeClient({.endpoint = emulator.endpoint(), .proxy = proxy.url()});
    ASSERT_TRUE(client.InsertBucket("bkt"));
    EXPECT_TRUE(client.GetBucket("bkt").ok());
  }
  EXPECT_THAT(proxy.requests(),
              AllOf(Not(IsEmpty()), Each(StartsWith("POST " + emulator.endpoint() + "/storage/v1/b"))));
  const auto before = proxy.requests().size();
  for (const char* no_proxy : {"example.com,127.0.0.1", "*"}) {
    const Client client = MakeClient({.endpoint = emulator.endpoint(), .proxy = proxy.url(), .no_proxy = no_proxy});
    EXPECT_TRUE(client.GetBucket("bkt").ok());
  }
  EXPECT_THAT(proxy.requests(), SizeIs(before));
}

TEST_F(ProxyTest, TunnelsHttps) {
  const auto pem = emulator::MakeCertificate();
  const std::string ca_file = ::testing::TempDir() + "proxy_test_ca.pem";
  std::ofstream(ca_file) << pem.certificate;
  emulator::Emulator emulator({.tls = emulator::TlsOptions{pem.certificate, pem.private_key}});
  ForwardProxy proxy;
  const Client client = MakeClient({.endpoint = emulator.endpoint(),
                                    .credentials = Credentials::Anonymous(),
                                    .ca_file = ca_file,
                                    .proxy = proxy.url()});
  const auto made = client.InsertBucket("bkt");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_THAT(proxy.requests(), Each(StartsWith("CONNECT " + emulator.endpoint().substr(8) + " HTTP/1.1")));
  EXPECT_THAT(proxy.requests(), SizeIs(1));
  // TLS hides a token from the proxy.
  const Client with_token = MakeClient({.endpoint = emulator.endpoint(),
                                        .credentials = Credentials::AccessToken("s3cret-token"),
                                        .ca_file = ca_file,
                                        .proxy = proxy.url()});
  EXPECT_TRUE(with_token.GetBucket("bkt").ok());
  EXPECT_THAT(proxy.requests(), SizeIs(2));
  std::filesystem::remove(ca_file);
}

TEST_F(ProxyTest, ComesFromTheEnvironmentByDefault) {
  emulator::Emulator emulator;
  ForwardProxy proxy;
  setenv("http_proxy", proxy.url().c_str(), /*overwrite=*/1);
  ASSERT_TRUE(MakeClient({.endpoint = emulator.endpoint()}).InsertBucket("bkt"));
  EXPECT_THAT(proxy.requests(), SizeIs(1));
  ASSERT_TRUE(MakeClient({.endpoint = emulator.endpoint(), .proxy = ""}).GetBucket("bkt"));
  EXPECT_THAT(proxy.requests(), SizeIs(1)) << "the option disables it";
  setenv("no_proxy", "127.0.0.1", /*overwrite=*/1);
  ASSERT_TRUE(MakeClient({.endpoint = emulator.endpoint()}).GetBucket("bkt"));
  EXPECT_THAT(proxy.requests(), SizeIs(1)) << "the environment excepts it";
  ASSERT_TRUE(MakeClient({.endpoint = emulator.endpoint(), .no_proxy = ""}).GetBucket("bkt"));
  EXPECT_THAT(proxy.requests(), SizeIs(2)) << "the option excepts nothing";
}

TEST_F(ProxyTest, ReceivesCredentialsOnRequest) {
  emulator::Emulator emulator;
  ForwardProxy proxy("Basic dXNlcjpodW50ZXIy");  // user:hunter2
  const std::string host = proxy.url().substr(7);
  const Client client = MakeClient({.endpoint = emulator.endpoint(), .proxy = "http://user:hunter2@" + host});
  EXPECT_TRUE(client.InsertBucket("bkt").ok());
  EXPECT_THAT(proxy.requests(), SizeIs(1));

  const auto refused =
      MakeClient({.endpoint = emulator.endpoint(), .proxy = "http://user:wrong-password@" + host}).GetBucket("bkt");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(ErrorCodeName(refused.error().code), "PROXY_FAILED") << refused.error().message;
  EXPECT_EQ(refused.error().http_status, 407);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("--proxy"), Not(HasSubstr("wrong-password"))));
}

TEST_F(ProxyTest, IsBypassedForATokenWithoutTls) {
  emulator::Emulator emulator;
  ForwardProxy proxy;
  const Client client = MakeClient(
      {.endpoint = emulator.endpoint(), .credentials = Credentials::AccessToken("s3cret-token"), .proxy = proxy.url()});
  EXPECT_TRUE(client.InsertBucket("bkt").ok());
  EXPECT_THAT(proxy.requests(), IsEmpty());
}

TEST_F(ProxyTest, IsBypassedForAnEncryptionKeyWithoutTls) {
  emulator::Emulator emulator;
  ASSERT_TRUE(MakeClient({.endpoint = emulator.endpoint(), .proxy = ""}).InsertBucket("bkt"));
  ForwardProxy proxy;
  const Client client = MakeClient({.endpoint = emulator.endpoint(), .proxy = proxy.url()});
  const auto key = *EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789ABCDEF"));
  ASSERT_TRUE(client.InsertObject({"bkt", "o"}, AsBytes("bytes"), {.encryption_key = key}).ok());
  EXPECT_EQ(testing::ValueOf(client.ReadObject({"bkt", "o"}, ReadObjectOptions{.encryption_key = key})), "bytes");
  EXPECT_THAT(proxy.requests(), IsEmpty());
}

struct FailingProxy {
  std::string name;
  std::string answer;  // to CONNECT
  std::string says;
  int http_status;
};

TEST_F(ProxyTest, HasItsOwnErrorIfItRefusesATunnel) {
  const FailingProxy cases[] = {
      {"asks who", "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
       "the proxy answered CONNECT with 407", 407},
      {"forbids", "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "the proxy answered CONNECT with 403", 403},
      {"is down", "HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n", "the proxy answered CONNECT with 503", 503},
      {"closes", "", "the proxy", 0},
      {"is none", "SSH-2.0-OpenSSH_9.2\r\n\r\n", "the proxy", 0},
  };
  for (const FailingProxy& test : cases) {
    const RawServer proxy(testing::Answering(test.answer));
    const Client client = MakeClient({.endpoint = "https://storage.test",
                                      .credentials = Credentials::Anonymous(),
                                      .proxy = "http://u:hunter2@127.0.0.1:" + std::to_string(proxy.port())});
    const auto got = client.GetBucket("bkt");
    ASSERT_FALSE(got.ok()) << test.name;
    EXPECT_EQ(ErrorCodeName(got.error().code), "PROXY_FAILED") << test.name << ": " << got.error().message;
    EXPECT_EQ(got.error().http_status, test.http_status) << test.name;
    EXPECT_THAT(got.error().message, AllOf(HasSubstr(test.says), Not(HasSubstr("hunter2")))) << test.name;
    EXPECT_GE(proxy.connections(), 1) << test.name;
  }
}

TEST_F(ProxyTest, HasItsOwnErrorIfUnreachable) {
  const std::string gone = testing::RefusingEndpoint();
  for (const char* endpoint : {"http://storage.test", "https://storage.test"}) {
    const auto refused =
        MakeClient({.endpoint = endpoint, .credentials = Credentials::Anonymous(), .proxy = gone}).GetBucket("bkt");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(ErrorCodeName(refused.error().code), "PROXY_FAILED") << refused.error().message;
    EXPECT_THAT(refused.error().message, HasSubstr("the proxy " + gone.substr(7) + ": connection refused"));
    const auto unknown = MakeClient({.endpoint = endpoint,
                                     .credentials = Credentials::Anonymous(),
                                     .proxy = "http://no-such-proxy.invalid:3128"})
                             .GetBucket("bkt");
    ASSERT_FALSE(unknown.ok());
    EXPECT_EQ(ErrorCodeName(unknown.error().code), "PROXY_FAILED") << unknown.error().message;
    EXPECT_THAT(unknown.error().message, HasSubstr("the proxy's name is not known"));
  }
}

TEST_F(ProxyTest, IsRetriedAfterTransientFailures) {
  struct Case {
    std::string answer;
    int connections;
  };
  for (const Case& test : {Case{"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", 1},
                           Case{"HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n", 3}}) {
    const RawServer proxy(testing::Answering(test.answer));
    const Client client = *Client::Create(
        {.endpoint = "https://storage.test",
         .credentials = Credentials::Anonymous(),
         .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = 3}),
         .proxy = proxy.endpoint()});
    EXPECT_FALSE(client.GetBucket("bkt").ok());
    EXPECT_EQ(proxy.connections(), test.connections) << test.answer;
  }
}

}  // namespace
}  // namespace gcsflux
