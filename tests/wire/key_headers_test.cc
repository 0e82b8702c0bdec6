#include "wire/key_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The key and the hash of the example in tests of other implementations: 32 bytes, "0123...ef" in base64.
constexpr std::string_view kKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
constexpr std::string_view kSha256 = "PrG9Q5lH63YpmOVmzMLgmceREYsvQFecxPfaK1Bht/k=";

TEST(EncryptionKey, HasThirtyTwoBytesAndTheirHash) {
  const auto key = EncryptionKey::FromBase64(kKey);
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->sha256(), kSha256);
  EXPECT_EQ(*key, *EncryptionKey::FromBytes(std::as_bytes(std::span("0123456789abcdef0123456789abcdef", 32))));
}

TEST(EncryptionKey, RefusesOtherLengthsAndInvalidBase64) {
  for (const std::size_t size : {0U, 16U, 31U, 33U}) {
    const std::string bytes(size, 'k');
    const auto key = EncryptionKey::FromBytes(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(testing::FailsWith(key, ErrorCode::kInvalidArgument, Not(HasSubstr("kkk")))) << size;
  }
  const auto key = EncryptionKey::FromBase64("no base64: secret");
  ASSERT_FALSE(key.ok());
  EXPECT_THAT(key.error().message, Not(HasSubstr("secret")));
}

TEST(EncryptionKey, ShowsOnlyItsHash) {
  std::ostringstream shown;
  shown << *EncryptionKey::FromBase64(kKey);
  EXPECT_EQ(shown.str(), "EncryptionKey(sha256 " + std::string(kSha256) + ")");
  EXPECT_EQ(::testing::PrintToString(*EncryptionKey::FromBase64(kKey)), shown.str());
}

TEST(KeyHeaders, AreThreeWithAKeyAndNoneWithout) {
  HttpRequest request{.url = "https://h/"};
  AddKey(request, std::nullopt);
  EXPECT_TRUE(request.headers.empty());
  AddKey(request, *EncryptionKey::FromBase64(kKey));
  const Headers want = {{"x-goog-encryption-algorithm", "AES256"},
                        {"x-goog-encryption-key", std::string(kKey)},
                        {"x-goog-encryption-key-sha256", std::string(kSha256)}};
  EXPECT_EQ(request.headers, want);
}

TEST(KeyHeaders, TravelWithoutTlsOnlyToLoopback) {
  const std::optional<EncryptionKey> key = *EncryptionKey::FromBase64(kKey);
  EXPECT_TRUE(CheckKeyTravels("https://storage.googleapis.com", key).ok());
  EXPECT_TRUE(CheckKeyTravels("http://127.0.0.1:9000", key).ok());
  EXPECT_TRUE(CheckKeyTravels("http://emulator:9000", std::nullopt).ok());
  EXPECT_EQ(testing::ErrorOf(CheckKeyTravels("http://emulator:9000", key)).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux::internal
