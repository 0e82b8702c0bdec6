#include "client/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gcsflux/client.h"
#include "gcsflux/version.h"
#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Machine {
  std::map<std::string, std::string> variables = {};
  std::map<std::string, std::string> files = {};
  std::string unreadable = {};

  [[nodiscard]] Result<CurlOptions> Resolve(const ClientOptions& options) const {
    const GetEnv env = [&](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    const ReadFile read = [&](const std::string& path) -> Result<std::optional<std::string>> {
      if (path == unreadable) return Error{ErrorCode::kLocalIo, "cannot be opened: Permission denied"};
      const auto found = files.find(path);
      return found == files.end() ? std::nullopt : std::optional(found->second);
    };
    return ResolveNetwork(options, env, read);
  }
};

const std::string kPem = "-----BEGIN CERTIFICATE-----\n...";

TEST(ResolveNetwork, LeavesUnsetProxiesToTheEnvironment) {
  for (const char* variable : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    const auto network = Machine{.variables = {{variable, "proxy:3128"}}}.Resolve({});
    ASSERT_TRUE(network.ok());
    EXPECT_EQ(network->user_agent, std::string("gcsflux/") + kVersion);
    EXPECT_EQ(network->ca_file, "");
    EXPECT_FALSE(network->proxy) << variable;
    EXPECT_FALSE(network->no_proxy) << variable;
  }
}

TEST(ResolveNetwork, UsesNoProxyIfTheEnvironmentNamesNone) {
  const auto network = Machine{.variables = {{"http_proxy", ""}, {"no_proxy", "localhost"}}}.Resolve({});
  ASSERT_TRUE(network.ok());
  EXPECT_EQ(network->proxy, "");
  EXPECT_EQ(network->no_proxy, "");
}

TEST(ResolveNetwork, NamesTheApplicationBeforeTheLibrary) {
  EXPECT_EQ(Machine().Resolve({.user_agent_prefix = "trainer/1.2 (x)"})->user_agent,
            std::string("trainer/1.2 (x) gcsflux/") + kVersion);
  for (const char* wrong : {"a\r\nX-Evil: 1", " a", "a\t", "\x01"}) {
    EXPECT_TRUE(testing::FailsWith(Machine().Resolve({.user_agent_prefix = wrong}), ErrorCode::kInvalidArgument,
                                   HasSubstr("user_agent_prefix")))
        << wrong;
  }
}

TEST(ResolveNetwork, TrustsTheCertificatesOfTheCurlCommand) {
  Machine machine{.files = {{"/option.pem", kPem}}};
  machine.variables["SSL_CERT_FILE"] = "/ssl.pem";
  EXPECT_EQ(machine.Resolve({})->ca_file, "/ssl.pem");
  machine.variables["CURL_CA_BUNDLE"] = "/curl.pem";
  EXPECT_EQ(machine.Resolve({})->ca_file, "/curl.pem");
  machine.variables["CURL_CA_BUNDLE"] = "";
  EXPECT_EQ(machine.Resolve({})->ca_file, "/ssl.pem");
  EXPECT_EQ(machine.Resolve({.ca_file = "/option.pem"})->ca_file, "/option.pem");
}

TEST(ResolveNetwork, NamesTheWrongFileAndTheReason) {
  const Machine machine{.files = {{"/good.pem", kPem}, {"/text", "no PEM"}}, .unreadable = "/locked.pem"};
  struct Case {
    ClientOptions options;
    ErrorCode code;
    std::string says;
  };
  const Case cases[] = {
      {{.ca_file = "/none.pem"}, ErrorCode::kLocalIo, "ClientOptions::ca_file '/none.pem' is not there"},
      {{.ca_file = "/locked.pem"},
       ErrorCode::kLocalIo,
       "ClientOptions::ca_file '/locked.pem' cannot be opened: Permission denied"},
      {{.ca_file = "/text"}, ErrorCode::kInvalidArgument, "ClientOptions::ca_file '/text' is no PEM file"},
      {{.client_certificate_file = "/none.pem"}, ErrorCode::kLocalIo, "client_certificate_file '/none.pem'"},
      {{.client_certificate_file = "/good.pem", .client_key_file = "/none.pem"},
       ErrorCode::kLocalIo,
       "client_key_file '/none.pem'"},
      {{.client_key_file = "/good.pem"}, ErrorCode::kInvalidArgument, "without client_certificate_file"},
  };
  for (const Case& test : cases) {
    const auto network = machine.Resolve(test.options);
    ASSERT_FALSE(network.ok()) << test.says;
    EXPECT_EQ(ErrorCodeName(network.error().code), ErrorCodeName(test.code)) << test.says;
    EXPECT_THAT(network.error().message, HasSubstr(test.says));
  }
  EXPECT_TRUE(machine.Resolve({.client_certificate_file = "/good.pem"}).ok());
}

TEST(ResolveNetwork, AcceptsProxiesInCurlsForms) {
  for (const char* proxy :
       {"", "proxy", "proxy:3128", "http://proxy.example:8080", "https://p:1", "socks5h://[::1]:1080",
        "http://user:p@ss@proxy:3128", "SOCKS4a://p", "http://proxy:3128/"}) {
    const auto network = Machine().Resolve({.proxy = proxy, .no_proxy = "localhost,.internal"});
    ASSERT_TRUE(network.ok()) << proxy;
    EXPECT_EQ(network->proxy, proxy);
    EXPECT_EQ(network->no_proxy, "localhost,.internal");
  }
}

TEST(ResolveNetwork, RefusesAnInvalidProxyWithoutItsPassword) {
  for (const char* proxy : {"ftp://user:hunter2@proxy:1", "http://user:hunter2@", "http://user:hunter2@proxy:port",
                            "user:hunter2@proxy/path", "http://user:hunter2@a b", "://hunter2"}) {
    const auto network = Machine().Resolve({.proxy = proxy});
    ASSERT_TRUE(testing::FailsWith(network, ErrorCode::kInvalidArgument, HasSubstr("ClientOptions::proxy"))) << proxy;
    EXPECT_THAT(network.error().message, Not(HasSubstr("hunter2")));
  }
}

TEST(CheckExtraHeaders, AcceptsUnknownHeaders) {
  EXPECT_TRUE(CheckExtraHeaders({}).ok());
  EXPECT_TRUE(
      CheckExtraHeaders({{"X-Audit", "why not: \"this\""}, {"x-api-key", ""}, {"X-Goog-Custom-Audit", "a"}}).ok());
}

TEST(CheckExtraHeaders, RefusesMalformedHeadersWithoutTheirValues) {
  const std::pair<std::string, std::string> wrong[] = {{"", "hunter2"},
                                                       {"a b", "hunter2"},
                                                       {"a:", "hunter2"},
                                                       {"a\r\nb", "hunter2"},
                                                       {"X-A", "hunter2\r\n"},
                                                       {"X-A", "a\nX-B: hunter2"},
                                                       {"X-A", " hunter2"},
                                                       {"X-A", "hunter2 "},
                                                       {"\xC3\xA9", "x"},
                                                       {"X-A", "hunter2\x7F"},
                                                       {"X-A", std::string("hunter2\0", 8)}};
  for (const auto& header : wrong) {
    EXPECT_TRUE(testing::FailsWith(CheckExtraHeaders({{"X-Good", "1"}, header}), ErrorCode::kInvalidArgument,
                                   Not(HasSubstr("hunter2"))))
        << header.first << ": " << header.second;
  }
}

TEST(CheckExtraHeaders, RefusesHeadersOfTheClient) {
  for (const char* name : {"Authorization", "Host", "Content-Length", "Content-Range", "Content-Type", "Range",
                           "Expect", "x-goog-api-client", "X-Goog-User-Project", "x-goog-encryption-key",
                           "x-goog-if-generation-match", "X-Upload-Content-Type", "User-Agent", "Transfer-Encoding"}) {
    const auto checked = CheckExtraHeaders({{name, "1"}});
    ASSERT_FALSE(checked.ok()) << name;
    EXPECT_THAT(checked.error().message, HasSubstr(name));
    EXPECT_THAT(checked.error().message, HasSubstr("is sent by the client itself"));
  }
}

}  // namespace
}  // namespace gcsflux::internal
