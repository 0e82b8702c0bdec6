// Requests of the XML API that are signed by HMAC keys, and signed URLs, if the emulator requires credentials.

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <cctype>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

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

// By version 2, with a key or with an account's own.
class SignatureV2Test : public SignatureTest {
 protected:
  static std::string Base64(std::string_view bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3), '\0');
    (void)::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                            reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    return text;
  }
  [[nodiscard]] std::string Sign(const std::string& text) const {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    ::HMAC(::EVP_sha1(), secret_.data(), static_cast<int>(secret_.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes, &size);
    return Base64({reinterpret_cast<const char*>(bytes), size});
  }
  std::string Date() {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(emulator_.clock().Now());
    std::tm parts = {};
    ::gmtime_r(&seconds, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text;
  }
  static std::string Escaped(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
      const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
      escaped += is_plain ? std::string(1, c) : "%" + Hex(std::string_view(&c, 1));
    }
    return escaped;
  }
  std::string Expires(int seconds) { return std::to_string(SecondsOf(emulator_.clock().Now()) + seconds); }
};

TEST_F(SignatureV2Test, AKeySignsRequests) {
  for (const auto& [scheme, prefix] : {std::pair("AWS", "x-amz-"), std::pair("GOOG1", "x-goog-")}) {
    const std::string date = Date();
    const std::string extension = std::string(prefix) + "meta-k:a,b\n";
    const std::string signature = Sign("GET\n\n\n" + date + "\n" + extension + "/bucket/object?acl");
    const auto headers = [&](const std::string& value) {
      return "Date: " + date + "\r\n" + prefix + "meta-k: a\r\n" + prefix + "meta-k: " + value +
             "\r\nAuthorization: " + scheme + " " + id_ + ":" + signature + "\r\n";
    };
    EXPECT_EQ(Get("/bucket/object?acl", headers("b")), 403) << "a viewer may not read access lists";
    EXPECT_EQ(client_.Call("GET", "/bucket/object?acl", headers("b")).body.find("signature"), std::string::npos);
    EXPECT_NE(client_.Call("GET", "/bucket/object?acl", headers("c")).body.find("signature"), std::string::npos);
    const std::string read = Sign("GET\n\n\n\n" + std::string(prefix) + "date:" + date + "\n/bucket/object");
    const std::string with_own_date =
        std::string(prefix) + "date: " + date + "\r\nAuthorization: " + scheme + " " + id_ + ":" + read + "\r\n";
    EXPECT_EQ(Get("/bucket/object", with_own_date), 200);
    EXPECT_EQ(client_.Call("DELETE", "/bucket/object", with_own_date).status, 403);
  }
}

TEST_F(SignatureV2Test, ADateMustBeNear) {
  const std::string date = Date();
  const std::string headers =
      "Date: " + date + "\r\nAuthorization: AWS " + id_ + ":" + Sign("GET\n\n\n" + date + "\n/bucket/object") + "\r\n";
  EXPECT_EQ(Get("/bucket/object", headers), 200);
  emulator_.clock().Advance(std::chrono::minutes(16));
  EXPECT_EQ(Get("/bucket/object", headers), 403);
}

TEST_F(SignatureV2Test, AFormIsSignedByItsPolicy) {
  const std::string policy = Base64(json{{"expiration", "2200-01-01T00:00:00Z"},
                                         {"conditions",
                                          {{"starts-with", "$key", ""},
                                           {"starts-with", "$x-goog-algorithm", ""},
                                           {"starts-with", "$x-goog-credential", ""},
                                           {"starts-with", "$x-goog-date", ""}}}}
                                        .dump());
  const auto post = [&](const std::string& key, const std::map<std::string, std::string>& fields) {
    std::string body;
    const auto add = [&](const std::string& name, const std::string& value) {
      body += "--zz\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    };
    add("key", key);
    for (const auto& [name, value] : fields) add(name, value);
    add("file", "x");
    return client_.Call("POST", "/bucket", "Content-Type: multipart/form-data; boundary=zz\r\n", body + "--zz--\r\n")
        .status;
  };
  EXPECT_EQ(post("a", {}), 401);
  const std::string by_creator = Base64(SignRs256(policy, TestKey(1).private_key));
  EXPECT_EQ(post("a", {{"policy", policy}, {"GoogleAccessId", kCreatorEmail}, {"signature", by_creator}}), 204);
  EXPECT_EQ(post("b", {{"policy", policy}, {"GoogleAccessId", kViewerEmail}, {"signature", by_creator}}), 403)
      << "a viewer may not write";
  EXPECT_EQ(post("b", {{"policy", policy}, {"GoogleAccessId", kCreatorEmail}, {"signature", Sign(policy)}}), 403);
  EXPECT_EQ(post("a", {{"policy", policy}, {"GoogleAccessId", kCreatorEmail}, {"signature", by_creator}}), 403)
      << "a creator may not replace";
  const std::string time = Now();
  const std::map<std::string, std::string> by_v4 = {
      {"policy", policy},
      {"x-goog-algorithm", "GOOG4-RSA-SHA256"},
      {"x-goog-credential", std::string(kCreatorEmail) + "/" + Scope(time)},
      {"x-goog-date", time},
      {"x-goog-signature", Hex(SignRs256(policy, TestKey(1).private_key))}};
  EXPECT_EQ(post("c", by_v4), 204);
}

TEST_F(SignatureV2Test, AUrlWorksUntilItExpires) {
  const std::string expires = Expires(60);
  const std::string text = "GET\n\n\n" + expires + "\n/bucket/object";
  const std::string by_key = "/bucket/object?AWSAccessKeyId=" + id_ + "&Expires=" + expires + "&Signature=";
  const std::string by_account =
      "/bucket/object?GoogleAccessId=" + Escaped(kViewerEmail) + "&Expires=" + expires + "&Signature=";
  const std::string rsa = Base64(SignRs256(text, TestKey(1).private_key));
  EXPECT_EQ(Get(by_key + Escaped(Sign(text)), ""), 200);
  EXPECT_EQ(Get(by_account + Escaped(rsa), ""), 200);
  EXPECT_EQ(Get(by_account + Escaped(Sign(text)), ""), 403);
  EXPECT_EQ(Get(by_key + "x", ""), 403);
  emulator_.clock().Advance(std::chrono::seconds(61));
  EXPECT_EQ(Get(by_key + Escaped(Sign(text)), ""), 400);
  EXPECT_EQ(Get(by_account + Escaped(rsa), ""), 400);
}

}  // namespace
}  // namespace gcsflux::emulator
