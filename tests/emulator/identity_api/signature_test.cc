// Requests of the XML API that are signed by HMAC keys, and signed URLs, if the emulator requires credentials.

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <chrono>
#include <string>
#include <string_view>

#include "emulator/support/crypto_fixtures.h"
#include "emulator/support/identity_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4U];
    text += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

std::string Sha256Hex(const std::string& text) {
  unsigned char bytes[SHA256_DIGEST_LENGTH];
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes);
  return Hex({reinterpret_cast<const char*>(bytes), sizeof bytes});
}

class SignatureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    emulator_.clock().Freeze();
    ASSERT_EQ(AsAdmin("POST", "/storage/v1/b", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(AsAdmin("PUT", "/bucket/object", "0123456789").status, 200);
    const std::string keys = "/storage/v1/projects/p/hmacKeys";
    const json key = json::parse(AsAdmin("POST", keys + "?serviceAccountEmail=" + kViewerEmail).body);
    id_ = key.at("metadata").at("accessId").get<std::string>();
    secret_ = key.at("secret").get<std::string>();
    key_path_ = keys + "/" + id_;
  }

  RawResponse AsAdmin(std::string_view method, std::string_view target, std::string_view body = "") {
    const std::int64_t now = SecondsOf(emulator_.clock().Now());
    const json claims = {{"iss", kAdminEmail},
                         {"sub", kAdminEmail},
                         {"iat", now},
                         {"exp", now + 3600},
                         {"aud", "https://storage.googleapis.com/"}};
    const std::string token = SignedJwt({{"alg", "RS256"}, {"kid", "key-1"}}, claims, TestKey(1).private_key);
    return client_.Call(method, target, "Authorization: Bearer " + token + "\r\n", body);
  }

  // "20261126T080000Z"
  std::string Now() {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(emulator_.clock().Now());
    std::tm parts = {};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
    return text;
  }
  [[nodiscard]] std::string Scope(const std::string& time) const {
    return time.substr(0, 8) + "/auto/storage/goog4_request";
  }
  // As the connection sends it.
  static std::string Host() { return "emulator.test"; }
  [[nodiscard]] std::string SignByHmac(const std::string& time, const std::string& text) const {
    std::string key = SignHs256(time.substr(0, 8), "GOOG4" + secret_);
    for (const char* part : {"auto", "storage", "goog4_request"}) key = SignHs256(part, key);
    return Hex(SignHs256(text, key));
  }
  [[nodiscard]] std::string StringToSign(const std::string& algorithm, const std::string& time,
                                         const std::string& canonical) const {
    return algorithm + "\n" + time + "\n" + Scope(time) + "\n" + Sha256Hex(canonical);
  }
  // The headers of a request that is signed by the HMAC key.
  std::string SignedHeaders(const std::string& method, const std::string& path) {
    const std::string time = Now();
    const std::string names = "host;x-goog-content-sha256;x-goog-date";
    const std::string canonical = method + "\n" + path + "\n\nhost:" + Host() +
                                  "\nx-goog-content-sha256:UNSIGNED-PAYLOAD\nx-goog-date:" + time + "\n\n" + names +
                                  "\nUNSIGNED-PAYLOAD";
    const std::string algorithm = "GOOG4-HMAC-SHA256";
    return "x-goog-date: " + time + "\r\nx-goog-content-sha256: UNSIGNED-PAYLOAD\r\n" + "Authorization: " + algorithm +
           " Credential=" + id_ + "/" + Scope(time) + ", SignedHeaders=" + names +
           ", Signature=" + SignByHmac(time, StringToSign(algorithm, time, canonical)) + "\r\n";
  }
  // A URL that the account has signed with its own key, for 60 seconds.
  std::string SignedUrl(const std::string& email, const std::string& path, const char* seconds = "60") {
    const std::string time = Now();
    std::string escaped = email + "/" + Scope(time);
    for (std::size_t at = 0; (at = escaped.find_first_of("/@", at)) != std::string::npos;) {
      escaped.replace(at, 1, escaped[at] == '/' ? "%2F" : "%40");
    }
    const std::string query = "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=" + escaped +
                              "&X-Goog-Date=" + time + "&X-Goog-Expires=" + seconds + "&X-Goog-SignedHeaders=host";
    const std::string canonical = "GET\n" + path + "\n" + query + "\nhost:" + Host() + "\n\nhost\nUNSIGNED-PAYLOAD";
    const std::string signature = SignRs256(StringToSign("GOOG4-RSA-SHA256", time, canonical), TestKey(1).private_key);
    return path + "?" + query + "&X-Goog-Signature=" + Hex(signature);
  }
  int Get(const std::string& target, const std::string& headers) { return client_.Call("GET", target, headers).status; }

  Emulator emulator_{EmulatorOptions{.auth = AuthOptions{.config = IdentityConfigText()}}};
  RawConnection client_{emulator_.endpoint()};
  std::string id_;
  std::string secret_;
  std::string key_path_;
};

TEST_F(SignatureTest, AnHmacKeyActsForItsServiceAccount) {
  EXPECT_EQ(Get("/bucket/object", SignedHeaders("GET", "/bucket/object")), 200);
  EXPECT_EQ(client_.Call("DELETE", "/bucket/object", SignedHeaders("DELETE", "/bucket/object")).status, 403);
}

TEST_F(SignatureTest, IsRefusedIfAnythingDiffers) {
  const std::string headers = SignedHeaders("GET", "/bucket/object");
  EXPECT_EQ(Get("/bucket/other", headers), 403);
  EXPECT_EQ(client_.Call("DELETE", "/bucket/object", headers).status, 403);
  EXPECT_EQ(Get("/bucket/object?generation=1", headers), 403);
  EXPECT_EQ(Get("/bucket/object", headers + "x-goog-user-project: p\r\n"), 403);
  std::string forged = headers;
  forged[forged.size() - 3] = forged[forged.size() - 3] == '0' ? '1' : '0';
  EXPECT_EQ(Get("/bucket/object", forged), 403);
  emulator_.clock().Advance(std::chrono::minutes(16));
  EXPECT_EQ(Get("/bucket/object", headers), 403);
}

TEST_F(SignatureTest, AnInactiveKeySignsNothing) {
  const auto set = [&](const char* state) { return AsAdmin("PUT", key_path_, json{{"state", state}}.dump()).status; };
  ASSERT_EQ(set("INACTIVE"), 200);
  EXPECT_EQ(Get("/bucket/object", SignedHeaders("GET", "/bucket/object")), 403);
  ASSERT_EQ(set("ACTIVE"), 200);
  EXPECT_EQ(Get("/bucket/object", SignedHeaders("GET", "/bucket/object")), 200);
  ASSERT_EQ(set("INACTIVE"), 200);
  ASSERT_EQ(AsAdmin("DELETE", key_path_).status, 204);
  EXPECT_EQ(Get("/bucket/object", SignedHeaders("GET", "/bucket/object")), 403);
}

TEST_F(SignatureTest, AUrlThatAnAccountSignedWorksUntilItExpires) {
  const std::string url = SignedUrl(kViewerEmail, "/bucket/object");
  EXPECT_EQ(Get(url, ""), 200);
  EXPECT_EQ(Get(SignedUrl(kCreatorEmail, "/bucket/object"), ""), 403);  // may not read
  std::string other = url;
  other.replace(other.find("object"), 6, "target");
  EXPECT_EQ(Get(other, ""), 403);
  EXPECT_EQ(Get(SignedUrl(kViewerEmail, "/bucket/object", "604801"), ""), 400);
  emulator_.clock().Advance(std::chrono::seconds(61));
  EXPECT_EQ(Get(url, ""), 400);
}

}  // namespace
}  // namespace gcsflux::emulator
