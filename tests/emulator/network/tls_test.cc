// HTTPS on the emulator's listener.

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/tls_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

const CertificatePem& Certificate() {
  static const CertificatePem certificate = MakeCertificate();
  return certificate;
}

EmulatorOptions WithTls() { return {.tls = TlsOptions{Certificate().certificate, Certificate().private_key}}; }

// Bytes without two equal neighbouring blocks.
std::string Pattern(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TlsConnection client = Connect();
    ASSERT_EQ(client.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
  }

  [[nodiscard]] const std::string& endpoint() const { return emulator_.endpoint(); }
  [[nodiscard]] TlsConnection Connect() const { return {endpoint(), {.trusted = Certificate().certificate}}; }
  static std::string Upload(const std::string& name) {
    return "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name;
  }

  Emulator emulator_{WithTls()};
};

TEST_F(TlsTest, IsNamedByTheEndpoint) { EXPECT_TRUE(endpoint().starts_with("https://127.0.0.1:")) << endpoint(); }

TEST_F(TlsTest, CarriesBodiesOfAnySizeUnchanged) {
  TlsConnection client = Connect();
  for (const std::size_t size : {0U, 1U, 7000U, 8192U, 16'383U, 16'384U, 16'385U, 3'000'000U}) {
    const std::string body = Pattern(size);
    ASSERT_EQ(client.Call("POST", Upload("o"), "", body).status, 200) << size;
    EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket/o/o?alt=media").body, body) << size;
  }
}

TEST_F(TlsTest, ServesManyRequestsOnOneConnection) {
  TlsConnection client = Connect();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(client.Call("GET", "/storage/v1/b/bucket").status, 200);
}

TEST_F(TlsTest, AppearsInTheLinksOfAnswers) {
  TlsConnection client = Connect();
  const std::string host = "https://emulator.test/";
  const json bucket = json::parse(client.Call("GET", "/storage/v1/b/bucket").body);
  EXPECT_TRUE(bucket.at("selfLink").get<std::string>().starts_with(host)) << bucket;
  const json object = json::parse(client.Call("POST", Upload("o"), "", "x").body);
  EXPECT_TRUE(object.at("selfLink").get<std::string>().starts_with(host)) << object;
  EXPECT_TRUE(object.at("mediaLink").get<std::string>().starts_with(host)) << object;
  const RawResponse started = client.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=r");
  EXPECT_TRUE(started.Header("location").starts_with(host)) << started.Header("location");
}

TEST_F(TlsTest, SelectsHttp11IfHttp2IsOfferedFirst) {
  TlsConnection client(endpoint(), {.alpn = "\x02h2\x08http/1.1"});
  EXPECT_EQ(client.Alpn(), "http/1.1");
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_THROW(TlsConnection(endpoint(), {.alpn = "\x02h2"}), std::runtime_error);
}

TEST_F(TlsTest, RefusesVersionsBelow12) {
  TlsConnection older(endpoint(), {.max_version = TLS1_2_VERSION});
  EXPECT_EQ(older.Version(), "TLSv1.2");
  EXPECT_EQ(older.Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_EQ(Connect().Version(), "TLSv1.3");
  EXPECT_THROW(TlsConnection(endpoint(), {.max_version = TLS1_1_VERSION}), std::runtime_error);
}

TEST_F(TlsTest, SendsCloseNotifyBeforeItCloses) {
  TlsConnection client = Connect();
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/bucket", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.IsClosedByServer());
  EXPECT_TRUE(client.WasClosedProperly());
}

TEST_F(TlsTest, ServesOthersBesideSilentAndBrokenClients) {
  std::vector<std::unique_ptr<RawConnection>> silent;
  silent.reserve(50);
  for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<RawConnection>(endpoint()));
  RawConnection half(endpoint());
  half.Send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  RawConnection garbage(endpoint());
  garbage.Send(Pattern(5000));
  EXPECT_EQ(Connect().Call("GET", "/storage/v1/b/bucket").status, 200);
  EXPECT_FALSE(garbage.Receive());
}

TEST_F(TlsTest, RefusesPlainHttp) {
  RawConnection plain(endpoint());
  plain.Send("GET /storage/v1/b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_FALSE(plain.Receive());
}

TEST_F(TlsTest, SurvivesClientsThatDisconnectDuringAnAnswer) {
  ASSERT_EQ(Connect().Call("POST", Upload("big"), "", std::string(8 << 20, 'x')).status, 200);
  for (int i = 0; i < 10; ++i) {
    TlsConnection client = Connect();
    client.Send("GET /storage/v1/b/bucket/o/big?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  EXPECT_EQ(Connect().Call("GET", "/storage/v1/b/bucket").status, 200);
}

TEST_F(TlsTest, ServesManyClientsInParallel) {
  const std::string body = Pattern(300'000);
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      TlsConnection client = Connect();
      const std::string name = "o" + std::to_string(t);
      for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(client.Call("POST", Upload(name), "", body).status, 200);
        ASSERT_EQ(client.Call("GET", "/storage/v1/b/bucket/o/" + name + "?alt=media").body, body);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TlsTest, StopsWithConnectionsInEveryState) {
  TlsConnection idle = Connect();
  ASSERT_EQ(idle.Call("POST", Upload("big"), "", std::string(64 << 20, 'x')).status, 200);
  RawConnection silent(endpoint());
  RawConnection in_handshake(endpoint());
  in_handshake.Send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  TlsConnection in_head = Connect();
  in_head.Send("GET / HT");
  TlsConnection in_body = Connect();
  in_body.Send("POST /storage/v1/b HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_EQ(in_body.Receive()->status, 100);
  TlsConnection not_reading = Connect();
  not_reading.Send("GET /storage/v1/b/bucket/o/big?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");

  const auto begin = std::chrono::steady_clock::now();
  emulator_.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20))
      << "a stalled client's time-out is 60 s";
  EXPECT_TRUE(idle.IsClosedByServer());
  EXPECT_TRUE(silent.IsClosedByServer());
  EXPECT_FALSE(in_head.Receive());
  EXPECT_FALSE(not_reading.Receive());
}

TEST(TlsOptions, AreRefusedWithTheReason) {
  struct Case {
    const char* name;
    TlsOptions options;
    const char* want;
  };
  const CertificatePem other = MakeCertificate();
  const std::vector<Case> cases = {
      {"empty", {}, "certificate"},
      {"no certificate", {"text", Certificate().private_key}, "certificate"},
      {"a key for a certificate", {Certificate().private_key, Certificate().private_key}, "certificate"},
      {"no key", {Certificate().certificate, "text"}, "key"},
      {"another certificate's key", {Certificate().certificate, other.private_key}, "not that of the certificate"},
      {"a public key", {Certificate().certificate, TestKey(1).public_key}, "key"},
  };
  for (const Case& bad : cases) {
    try {
      const Emulator emulator({.tls = bad.options});
      ADD_FAILURE() << bad.name;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(bad.want), std::string::npos) << bad.name << ": " << error.what();
      EXPECT_EQ(std::string(error.what()).find("-----BEGIN"), std::string::npos) << bad.name;
    }
  }
}

}  // namespace
}  // namespace gcsflux::emulator
