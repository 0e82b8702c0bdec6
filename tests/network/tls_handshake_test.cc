// Which TLS handshakes are retried: those whose connection was lost, and none that was refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"
#include "support/tls_flight.h"

namespace gcsflux {
namespace {

using emulator::CertificatePem;
using emulator::MakeCertificate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawServer;
using testing::ReadClientHello;

constexpr int kAttempts = 3;

ClientOptions Options(const RawServer& server) {
  return {.endpoint = "https://127.0.0.1:" + std::to_string(server.port()),
          .credentials = Credentials::Anonymous(),
          .project = "test",
          .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = kAttempts}),
          .proxy = ""};
}

// How a connection ends within the handshake.
struct Loss {
  std::string_view name;
  void (*lose)(RawServer::Connection& connection, int version);
};

std::string Flight(RawServer::Connection& c, int version) {
  static const CertificatePem kPem = MakeCertificate();
  return testing::ServerFlight(kPem, ReadClientHello(c), version);
}

void AfterPart(RawServer::Connection& c, const std::string& flight, std::size_t bytes) {
  ASSERT_GT(flight.size(), bytes);
  c.Send(flight.substr(0, bytes));
}

constexpr Loss kLosses[] = {
    {"closed at once", [](RawServer::Connection&, int) {}},
    {"closed after ClientHello", [](RawServer::Connection& c, int) { ReadClientHello(c); }},
    {"reset after ClientHello",
     [](RawServer::Connection& c, int) {
       ReadClientHello(c);
       c.Reset();
     }},
    {"closed within ServerHello", [](RawServer::Connection& c, int version) { AfterPart(c, Flight(c, version), 40); }},
    {"closed after ServerHello",
     [](RawServer::Connection& c, int version) {
       const std::string flight = Flight(c, version);
       AfterPart(c, flight,
                 5 + static_cast<unsigned char>(flight.at(3)) * 256U + static_cast<unsigned char>(flight.at(4)));
     }},
    {"closed within the certificate",
     [](RawServer::Connection& c, int version) { AfterPart(c, Flight(c, version), 400); }},
    {"reset within the certificate",
     [](RawServer::Connection& c, int version) {
       AfterPart(c, Flight(c, version), 400);
       c.Reset();
     }},
};

void ExpectLost(const Result<BucketMetadata>& got, const std::string& which) {
  ASSERT_FALSE(got.ok()) << which;
  EXPECT_EQ(ErrorCodeName(got.error().code), "UNAVAILABLE") << which << ": " << got.error().message;
  EXPECT_THAT(got.error().message, AllOf(HasSubstr("was lost"), Not(HasSubstr("certificate")))) << which;
}

TEST(TlsHandshake, IsRetriedIfLost) {
  for (const Loss& loss : kLosses) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      const RawServer server([&](RawServer::Connection& c) { loss.lose(c, version); });
      const std::string which = std::string(loss.name) + " of version " + std::to_string(version);
      ExpectLost(Client::Create(Options(server))->GetBucket("bkt"), which);
      EXPECT_EQ(server.connections(), kAttempts) << which;
    }
  }
}

TEST(TlsHandshake, IsRetriedIfLostBehindAProxy) {
  for (const Loss& loss : kLosses) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      const RawServer proxy([&](RawServer::Connection& c) {
        c.ReadHead();
        c.Send("HTTP/1.1 200 Connection established\r\n\r\n");
        loss.lose(c, version);
      });
      ClientOptions options = Options(proxy);
      options.endpoint = "https://storage.test";
      options.proxy = proxy.endpoint();
      const std::string which = std::string(loss.name) + " of version " + std::to_string(version);
      ExpectLost(Client::Create(options)->GetBucket("bkt"), which);
      EXPECT_EQ(proxy.connections(), kAttempts) << which;
    }
  }
}

// An emulator with TLS, behind a server that counts connections and may lose the first ones.
class TlsRelay : public ::testing::Test {
 protected:
  void Start(const CertificatePem& pem, int lost = 0, const std::string& client_authorities = "") {
    emulator_.emplace(
        emulator::EmulatorOptions{.tls = emulator::TlsOptions{pem.certificate, pem.private_key, client_authorities}});
    const std::string endpoint = emulator_->endpoint();
    const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
    relay_.emplace([this, lost, port](RawServer::Connection& c) {
      if (relay_->connections() > lost) c.PassOnTo(port, "");
    });
  }

  Result<BucketMetadata> MakeBucket(const CertificatePem& trusted) {
    ClientOptions options = Options(*relay_);
    options.ca_file = directory_.Write("ca.pem", trusted.certificate);
    return Client::Create(options)->InsertBucket("bkt");
  }

  const testing::TestDirectory directory_;
  std::optional<emulator::Emulator> emulator_;
  std::optional<RawServer> relay_;
};

TEST_F(TlsRelay, SucceedsOnceTheConnectionLasts) {
  const CertificatePem pem = MakeCertificate();
  Start(pem, /*lost=*/kAttempts - 1);
  const auto made = MakeBucket(pem);
  EXPECT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(relay_->connections(), kAttempts);
}

TEST_F(TlsRelay, RefusesABadCertificateOnce) {
  struct Case {
    std::string_view name;
    CertificatePem shown, trusted;
  };
  const CertificatePem expired = MakeCertificate({.ends_in = std::chrono::hours(-1)});
  const CertificatePem elsewhere = MakeCertificate({.names = "DNS:other.test"});
  for (const Case& test : {Case{"unknown", MakeCertificate(), MakeCertificate()}, Case{"expired", expired, expired},
                           Case{"of another host", elsewhere, elsewhere}}) {
    Start(test.shown);
    const auto made = MakeBucket(test.trusted);
    ASSERT_FALSE(made.ok()) << test.name;
    EXPECT_EQ(ErrorCodeName(made.error().code), "TLS_FAILED") << test.name << ": " << made.error().message;
    EXPECT_EQ(relay_->connections(), 1) << test.name;
    relay_.reset();
  }
}

TEST_F(TlsRelay, IsRefusedOnceWithoutAClientCertificate) {
  const CertificatePem pem = MakeCertificate();
  Start(pem, 0, MakeCertificate({.names = "DNS:trainer.test"}).certificate);
  const auto made = MakeBucket(pem);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(ErrorCodeName(made.error().code), "TLS_FAILED") << made.error().message;
  EXPECT_EQ(relay_->connections(), 1);
}

TEST(TlsHandshake, IsNotRetriedIfRefused) {
  // RFC 8446, section 6.2: handshake_failure (no cipher in common), bad_certificate, unknown_ca, access_denied,
  // protocol_version, certificate_required.
  for (const int alert : {40, 42, 48, 49, 70, 116}) {
    const RawServer server([&](RawServer::Connection& c) {
      ReadClientHello(c);
      c.Send(std::string("\x15\x03\x03\x00\x02\x02", 6) + static_cast<char>(alert));
      c.WaitForClose();
    });
    const auto got = Client::Create(Options(server))->GetBucket("bkt");
    ASSERT_FALSE(got.ok()) << alert;
    EXPECT_EQ(ErrorCodeName(got.error().code), "TLS_FAILED") << alert << ": " << got.error().message;
    EXPECT_EQ(server.connections(), 1) << alert;
  }
}

}  // namespace
}  // namespace gcsflux
