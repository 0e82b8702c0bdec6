// Signed assertions: those that are accepted, and all that must not be.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/support/crypto_fixtures.h"
#include "identity/assertion.h"
#include "identity/base64url.h"
#include "identity/jwt.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kEmail = "reader@test-project.iam.gserviceaccount.com";
const Time kNow = Time(std::chrono::seconds(1'795'000'000));

json Header() { return {{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "key-1"}}; }

json Claims() {
  return {{"iss", kEmail},
          {"sub", kEmail},
          {"aud", "https://oauth2.googleapis.com/token"},
          {"scope", "https://www.googleapis.com/auth/devstorage.read_only"},
          {"iat", SecondsOf(kNow)},
          {"exp", SecondsOf(kNow) + 3600}};
}

json With(json object, const char* name, json value) {
  object[name] = std::move(value);
  return object;
}

json Without(json object, const char* name) {
  object.erase(name);
  return object;
}

IdentityConfig Config() {
  IdentityConfig config;
  config.service_accounts.push_back({kEmail,
                                     {{"key-1", *RsaPublicKey::FromPem(TestKey(1).public_key)},
                                      {"key-2", *RsaPublicKey::FromPem(TestKey(2).public_key)}}});
  return config;
}

TEST(Base64Url, RoundTrips) {
  for (const std::string& bytes :
       {std::string(), std::string("f"), std::string("fo"), std::string("foo"), std::string("\xFB\xEF\xFF\x00", 4)}) {
    EXPECT_EQ(EncodeBase64Url(bytes), ToBase64Url(bytes));
    EXPECT_EQ(DecodeBase64Url(EncodeBase64Url(bytes)), bytes);
  }
  EXPECT_EQ(EncodeBase64Url("\xFB\xEF\xFF"), "--__");
}

TEST(Base64Url, RefusesOtherEncodings) {
  for (const char* text : {"A", "AAAAA", "AB", "AAB", "AA==", "A+AA", "A/AA", "AA A", "AA\n"}) {
    EXPECT_FALSE(DecodeBase64Url(text)) << text;
  }
}

TEST(Jwt, IsSplit) {
  const std::string text = SignedJwt(Header(), Claims(), TestKey(1).private_key);
  const std::optional<Jwt> jwt = ParseJwt(text);
  ASSERT_TRUE(jwt);
  EXPECT_EQ(jwt->algorithm, "RS256");
  EXPECT_EQ(jwt->key_id, "key-1");
  EXPECT_EQ(jwt->issuer, kEmail);
  EXPECT_EQ(jwt->audience, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(jwt->expires_at, SecondsOf(kNow) + 3600);
  EXPECT_EQ(jwt->signed_text, text.substr(0, text.rfind('.')));
}

TEST(Jwt, IsRefusedIfMalformed) {
  const std::string header = ToBase64Url(Header().dump());
  const std::string claims = ToBase64Url(Claims().dump());
  const std::vector<std::string> cases = {
      "",
      ".",
      "..",
      "...",
      header + "." + claims,
      header + "." + claims + ".AA.AA",
      header + "." + claims + ".A",
      header + "=." + claims + ".AA",
      header + ".!" + claims + ".AA",
      ToBase64Url("{\"alg\":") + "." + claims + ".AA",
      ToBase64Url("[]") + "." + claims + ".AA",
      header + "." + ToBase64Url("\"text\"") + ".AA",
      header + "." + ToBase64Url(std::string(6000, '[')) + ".AA",
      header + "." + ToBase64Url("\xFF\xFE") + ".AA",
      UnsignedJwt(With(Header(), "alg", 256), Claims()) + ".AA",
      UnsignedJwt(Header(), With(Claims(), "exp", "soon")) + ".AA",
      UnsignedJwt(Header(), With(Claims(), "exp", 1e300)) + ".AA",
      UnsignedJwt(Header(), With(Claims(), "aud", json::array({"a", "b"}))) + ".AA",
      UnsignedJwt(Header(), With(Claims(), "padding", std::string(20'000, 'x'))) + ".AA",
  };
  for (const std::string& text : cases) EXPECT_FALSE(ParseJwt(text)) << text.substr(0, 120);
}

TEST(Assertion, IsAcceptedIfAKeyOfTheAccountSignedIt) {
  const IdentityConfig config = Config();
  const auto first = CheckAssertion(config, SignedJwt(Header(), Claims(), TestKey(1).private_key), kNow);
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first->signer->email, kEmail);
  const json second = With(Header(), "kid", "key-2");
  EXPECT_TRUE(CheckAssertion(config, SignedJwt(second, Claims(), TestKey(2).private_key), kNow));
  const json unnamed = Without(Header(), "kid");
  EXPECT_TRUE(CheckAssertion(config, SignedJwt(unnamed, Claims(), TestKey(2).private_key), kNow));
}

struct BadAssertion {
  const char* name;
  std::string text;
  const char* error;
};

std::string WithSignature(const json& header, const std::string& signature) {
  return UnsignedJwt(header, Claims()) + "." + ToBase64Url(signature);
}

std::vector<BadAssertion> BadAssertions() {
  const std::string& key = TestKey(1).private_key;
  const json hs256 = With(Header(), "alg", "HS256");
  const std::string good = SignedJwt(Header(), Claims(), key);
  std::string other_claims = good;
  other_claims.replace(good.find('.') + 1, good.rfind('.') - good.find('.') - 1,
                       ToBase64Url(With(Claims(), "scope", "https://www.googleapis.com/auth/cloud-platform").dump()));
  const auto at = [&](std::int64_t iat, std::int64_t exp) {
    return SignedJwt(Header(), With(With(Claims(), "iat", SecondsOf(kNow) + iat), "exp", SecondsOf(kNow) + exp), key);
  };
  return {
      {"another key's signature", SignedJwt(Header(), Claims(), TestKey(2).private_key), "Signature"},
      {"a stranger's signature", SignedJwt(Header(), Claims(), TestKey(3).private_key), "Signature"},
      {"an unknown key", SignedJwt(With(Header(), "kid", "key-9"), Claims(), key), "Signature"},
      {"claims changed after signing", other_claims, "Signature"},
      {"no signature", UnsignedJwt(Header(), Claims()) + ".", "Signature"},
      {"a signature cut short", good.substr(0, good.size() - 22), "Signature"},
      {"alg none", UnsignedJwt(With(Header(), "alg", "none"), Claims()) + ".", "RS256"},
      {"alg NONE with a signature", WithSignature(With(Header(), "alg", "NONE"), "x"), "RS256"},
      {"no alg", SignedJwt(Without(Header(), "alg"), Claims(), key), "RS256"},
      {"HS256 with the public key as the secret",
       WithSignature(hs256, SignHs256(UnsignedJwt(hs256, Claims()), TestKey(1).public_key)), "RS256"},
      {"an HMAC that says RS256",
       WithSignature(Header(), SignHs256(UnsignedJwt(Header(), Claims()), TestKey(1).public_key)), "Signature"},
      {"an unknown issuer", SignedJwt(Header(), With(Claims(), "iss", "nobody@example.com"), key), "not found"},
      {"no issuer", SignedJwt(Header(), Without(Claims(), "iss"), key), "not found"},
      {"expired", at(-3600, 0), "timeframe"},
      {"issued in the future", at(120, 3600), "timeframe"},
      {"valid for more than an hour", at(0, 3601), "timeframe"},
      {"no iat", SignedJwt(Header(), Without(Claims(), "iat"), key), "timeframe"},
      {"no exp", SignedJwt(Header(), Without(Claims(), "exp"), key), "timeframe"},
      {"no token", "ya29.something", "malformed"},
  };
}

TEST(Assertion, IsRefusedWithItsReason) {
  const IdentityConfig config = Config();
  for (const BadAssertion& bad : BadAssertions()) {
    const auto checked = CheckAssertion(config, bad.text, kNow);
    ASSERT_FALSE(checked) << bad.name;
    EXPECT_NE(checked.error().find(bad.error), std::string::npos) << bad.name << ": " << checked.error();
  }
}

TEST(Assertion, IsValidUntilItsLastSecond) {
  const IdentityConfig config = Config();
  const std::string text = SignedJwt(Header(), Claims(), TestKey(1).private_key);
  EXPECT_TRUE(CheckAssertion(config, text, kNow + std::chrono::seconds(3599)));
  EXPECT_FALSE(CheckAssertion(config, text, kNow + std::chrono::seconds(3600)));
  EXPECT_TRUE(CheckAssertion(config, text, kNow - std::chrono::seconds(60))) << "clocks differ a little";
}

TEST(RsaPublicKey, IsReadFromEveryPemWithAnRsaKey) {
  const std::string signature = SignRs256("text", TestKey(1).private_key);
  for (const std::string& pem : {TestKey(1).public_key, TestKey(1).private_key}) {
    const std::optional<RsaPublicKey> key = RsaPublicKey::FromPem(pem);
    ASSERT_TRUE(key);
    EXPECT_TRUE(key->Verifies("text", signature));
    EXPECT_FALSE(key->Verifies("Text", signature));
  }
}

TEST(RsaPublicKey, IsAbsentWithoutAnRsaKeyInThePem) {
  const CertificatePem elliptic = MakeCertificate();
  for (const std::string& pem : {std::string(), std::string("key"), TestKey(1).public_key.substr(0, 100),
                                 elliptic.certificate, elliptic.private_key}) {
    EXPECT_FALSE(RsaPublicKey::FromPem(pem)) << pem.substr(0, 30);
  }
}

}  // namespace
}  // namespace gcsflux::emulator
