#include "auth/signed_jwt.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text/base64.h"
#include "emulator/support/crypto_fixtures.h"

namespace gcsflux::internal {
namespace {

using emulator::TestKey;
using nlohmann::json;

constexpr std::chrono::system_clock::time_point kNow = std::chrono::sys_days(std::chrono::November / 20 / 2026);

std::string FromBase64Url(std::string text) {
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  text.append((4 - text.size() % 4) % 4, '=');
  return Base64Decode(text).value_or("not base64url");
}

// By OpenSSL only: the signer does not verify itself.
bool Verifies(const std::string& text, const std::string& signature, const std::string& public_key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(public_key.data(), static_cast<int>(public_key.size())), &BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const auto bytes = [](const std::string& s) { return reinterpret_cast<const unsigned char*>(s.data()); };
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text), text.size()) == 1;
}

struct Parts {
  json header;
  json claims;
  std::string text;
  std::string signature;
};

Parts Split(const std::string& jwt) {
  const auto first = jwt.find('.');
  const auto second = jwt.rfind('.');
  return {json::parse(FromBase64Url(jwt.substr(0, first))),
          json::parse(FromBase64Url(jwt.substr(first + 1, second - first - 1))), jwt.substr(0, second),
          FromBase64Url(jwt.substr(second + 1))};
}

ServiceAccountKey Key() {
  return {.client_email = "robot@p",
          .private_key_id = "key-1",
          .private_key = RsaKey::FromPem(TestKey(1).private_key),
          .token_uri = "https://oauth2.googleapis.com/token"};
}

TEST(SignedJwt, LastsAnHourAndCarriesItsScope) {
  const auto token = SignOwnToken(Key(), kNow);
  ASSERT_TRUE(token.ok());
  const Parts parts = Split(*token);
  const auto now = kNow.time_since_epoch() / std::chrono::seconds(1);
  EXPECT_EQ(parts.header, (json{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "key-1"}}));
  EXPECT_EQ(parts.claims, (json{{"iss", "robot@p"},
                                {"sub", "robot@p"},
                                {"scope", "https://www.googleapis.com/auth/cloud-platform"},
                                {"iat", now},
                                {"exp", now + 3600}}));
  EXPECT_TRUE(Verifies(parts.text, parts.signature, TestKey(1).public_key));
  EXPECT_FALSE(Verifies(parts.text, parts.signature, TestKey(2).public_key));
  EXPECT_FALSE(Verifies(parts.text + "x", parts.signature, TestKey(1).public_key));
}

TEST(SignedJwt, NamesTheTokenEndpointAsAudienceOfAnAssertion) {
  const auto assertion = SignAssertion(Key(), kNow);
  ASSERT_TRUE(assertion.ok());
  const Parts parts = Split(*assertion);
  EXPECT_EQ(parts.claims.at("aud"), "https://oauth2.googleapis.com/token");
  EXPECT_EQ(parts.claims.at("iss"), "robot@p");
  EXPECT_FALSE(parts.claims.contains("sub")) << "it would ask for another account";
  EXPECT_TRUE(Verifies(parts.text, parts.signature, TestKey(1).public_key));
}

std::string WithPassphrase(const std::string& private_key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(
      BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())), &BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_256_cbc(), "secret", 6, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

TEST(RsaKey, NeverAsksForAPassphrase) {
  const std::string pem = WithPassphrase(TestKey(1).private_key);
  ASSERT_NE(pem.find("ENCRYPTED"), std::string::npos);
  EXPECT_EQ(RsaKey::FromPem(pem), nullptr);
}

TEST(RsaKey, IsReadOnlyFromPem) {
  EXPECT_NE(RsaKey::FromPem(TestKey(1).private_key), nullptr);
  EXPECT_EQ(RsaKey::FromPem(TestKey(1).public_key), nullptr);
  EXPECT_EQ(RsaKey::FromPem(emulator::MakeCertificate().private_key), nullptr);
  EXPECT_EQ(RsaKey::FromPem(""), nullptr);
  EXPECT_EQ(RsaKey::FromPem(std::string(1 << 20, 'x')), nullptr);
}

}  // namespace
}  // namespace gcsflux::internal
