// Which peers the client trusts, and how it identifies itself: TLS against the emulator, with certificates made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/support/crypto_fixtures.h"
#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/child_program.h"
#include "support/raw_server.h"
#include "support/result.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using emulator::CertificatePem;
using emulator::MakeCertificate;
using ::testing::AllOf;
using ::testing::HasSubstr;

class TlsNetwork : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Write(const std::string& name, const std::string& content) const {
    return directory_.Write(name, content);
  }

  static ClientOptions Options(const std::string& endpoint, const std::string& ca_file) {
    return {.endpoint = endpoint,
            .credentials = Credentials::Anonymous(),
            .project = "test",
            .retry = RetryPolicies::All({.max_attempts = 1}),
            .ca_file = ca_file};
  }
  static Result<BucketMetadata> MakeBucket(const ClientOptions& options) {
    return Client::Create(options)->InsertBucket("bkt");
  }

  static void ExpectTlsFailure(const Result<BucketMetadata>& made, const std::string& says) {
    ASSERT_FALSE(made.ok()) << says;
    EXPECT_EQ(ErrorCodeName(made.error().code), "TLS_FAILED") << made.error().message;
    EXPECT_THAT(made.error().message, AllOf(HasSubstr("TLS with 127.0.0.1:"), HasSubstr(says)));
  }

  const testing::TestDirectory directory_;
};

emulator::EmulatorOptions Serving(const CertificatePem& pem, const std::string& client_authorities = "") {
  return {.tls = emulator::TlsOptions{pem.certificate, pem.private_key, client_authorities}};
}

TEST_F(TlsNetwork, TrustsTheAuthoritiesOfTheFile) {
  const auto pem = MakeCertificate();
  const emulator::Emulator emulator(Serving(pem));
  const auto made = MakeBucket(Options(emulator.endpoint(), Write("ca.pem", pem.certificate)));
  EXPECT_TRUE(made.ok()) << made.error().message;
}

TEST_F(TlsNetwork, RefusesOtherAuthorities) {
  const emulator::Emulator emulator(Serving(MakeCertificate()));
  ExpectTlsFailure(MakeBucket(Options(emulator.endpoint(), "")), "self-signed certificate");
  const auto other = MakeCertificate({.names = "DNS:other.test"});
  ExpectTlsFailure(MakeBucket(Options(emulator.endpoint(), Write("ca.pem", other.certificate))), "certificate");
}

// OpenSSL destroys nothing before either: libcurl and OpenSSL would crash in freed memory.
TEST_F(TlsNetwork, WorksInDestructorsAtTheEndOfTheProcess) {
  const auto pem = MakeCertificate();
  const emulator::Emulator emulator(Serving(pem));
  testing::ChildProgram tool(TLS_EXIT_TOOL, {emulator.endpoint(), Write("ca.pem", pem.certificate)});
  EXPECT_EQ(tool.Wait(), 42) << tool.ReadErrors();
}

TEST_F(TlsNetwork, RefusesACertificateOfAnotherHost) {
  const auto pem = MakeCertificate({.names = "DNS:other.test"});
  const emulator::Emulator emulator(Serving(pem));
  ExpectTlsFailure(MakeBucket(Options(emulator.endpoint(), Write("ca.pem", pem.certificate))), "127.0.0.1'");
}

TEST_F(TlsNetwork, RefusesAnExpiredCertificate) {
  const auto pem = MakeCertificate({.ends_in = std::chrono::hours(-1)});
  const emulator::Emulator emulator(Serving(pem));
  ExpectTlsFailure(MakeBucket(Options(emulator.endpoint(), Write("ca.pem", pem.certificate))),
                   "certificate has expired");
}

TEST_F(TlsNetwork, ReportsAPeerWithoutTls) {
  const testing::RawServer server([](testing::RawServer::Connection& c) {
    c.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
    c.WaitForClose();
  });
  ExpectTlsFailure(MakeBucket(Options("https://127.0.0.1:" + std::to_string(server.port()), "")),
                   "wrong version number");
}

TEST_F(TlsNetwork, NamesAnUnreadableAuthorityFile) {
  const emulator::Emulator emulator(Serving(MakeCertificate()));
  const std::string file = Write("ca.pem", "-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----\n");
  ExpectTlsFailure(MakeBucket(Options(emulator.endpoint(), file)), file);
}

class MutualTls : public TlsNetwork {
 protected:
  ClientOptions MutualOptions() {
    ClientOptions options = Options(emulator_.endpoint(), Write("ca.pem", server_.certificate));
    options.client_certificate_file = Write("client.pem", client_.certificate);
    options.client_key_file = Write("client-key.pem", client_.private_key);
    return options;
  }

  const CertificatePem server_ = MakeCertificate();
  const CertificatePem client_ = MakeCertificate({.names = "DNS:trainer.test"});
  const emulator::Emulator emulator_{Serving(server_, client_.certificate)};
};

TEST_F(MutualTls, SendsItsCertificate) {
  const auto made = MakeBucket(MutualOptions());
  EXPECT_TRUE(made.ok()) << made.error().message;
}

TEST_F(MutualTls, FindsTheKeyInTheCertificatesFile) {
  ClientOptions options = MutualOptions();
  options.client_certificate_file = Write("both.pem", client_.certificate + client_.private_key);
  options.client_key_file = "";
  const auto made = MakeBucket(options);
  EXPECT_TRUE(made.ok()) << made.error().message;
}

TEST_F(MutualTls, IsRefusedWithoutACertificate) {
  ExpectTlsFailure(MakeBucket(Options(emulator_.endpoint(), Write("ca.pem", server_.certificate))),
                   "certificate required");
}

TEST_F(MutualTls, IsRefusedWithAForeignCertificate) {
  const auto stranger = MakeCertificate({.names = "DNS:stranger.test"});
  ClientOptions options = MutualOptions();
  options.client_certificate_file = Write("stranger.pem", stranger.certificate);
  options.client_key_file = Write("stranger-key.pem", stranger.private_key);
  ExpectTlsFailure(MakeBucket(options), "alert");
}

TEST_F(MutualTls, ReportsAMismatchedKey) {
  ClientOptions options = MutualOptions();
  options.client_key_file = Write("other-key.pem", MakeCertificate().private_key);
  ExpectTlsFailure(MakeBucket(options), "key");
}

TEST(Ipv6, IsAcceptedAsAnEndpoint) {
  const emulator::Emulator emulator({.host = "::1"});
  ASSERT_TRUE(emulator.endpoint().starts_with("http://[::1]:")) << emulator.endpoint();
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "test"});
  ASSERT_TRUE(client.InsertBucket("bkt"));
  ASSERT_TRUE(client.InsertObject({"bkt", "o"}, AsBytes("bytes")));
  EXPECT_EQ(testing::ValueOf(client.ReadObject({"bkt", "o"})), "bytes");
}

TEST_F(TlsNetwork, AcceptsAnIpv6Endpoint) {
  const auto pem = MakeCertificate();
  emulator::EmulatorOptions options = Serving(pem);
  options.host = "::1";
  const emulator::Emulator emulator(options);
  const auto made = MakeBucket(Options(emulator.endpoint(), Write("ca.pem", pem.certificate)));
  EXPECT_TRUE(made.ok()) << made.error().message;
}

}  // namespace
}  // namespace gcsflux
