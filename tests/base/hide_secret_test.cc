#include "base/hide_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/carried_secrets.h"
#include "support/spellings.h"

namespace gcsflux::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Hidden(std::string text, std::string_view secret) {
  HideSecrets(text, {&secret, 1});
  return text;
}

TEST(HideSecrets, RemovesAllOccurrences) {
  EXPECT_EQ(Hidden("got 12345678, 1234567812345678", "12345678"), "got [secret], [secret]");
  EXPECT_EQ(Hidden("other words", "12345678"), "other words");
  EXPECT_EQ(Hidden("[secret]", "[secret]"), "[secret]") << "and ends";
  std::string text = "first-one, second-one, third-one";
  const std::string_view secrets[] = {"first-one", "second-one"};
  HideSecrets(text, secrets);
  EXPECT_EQ(text, "[secret], [secret], third-one");
}

TEST(HideSecrets, RemovesTruncatedSecrets) {
  constexpr std::string_view kSecret = "ya29.abcdefghijklmnopqrstuvwxyz";
  EXPECT_EQ(Hidden("<ya29.abcdefgh", kSecret), "<[secret]") << "cut off behind";
  EXPECT_EQ(Hidden("qrstuvwxyz>", kSecret), "[secret]>") << "cut off before";
  EXPECT_EQ(Hidden("a klmnopqr z", kSecret), "a [secret] z");
  EXPECT_EQ(Hidden("ya29.abcdefghijkl mnopqrstuvwxyz", kSecret), "[secret] [secret]") << "broken in two";
  EXPECT_EQ(Hidden("ya29.ab", kSecret), "ya29.ab") << "seven bytes are found in any text";
}

TEST(HideSecrets, FindsEscapedSecrets) {
  constexpr std::string_view kSecret = R"(ab/c+d"e%41\==)";
  for (const char* written : {R"(ab/c+d"e%41\==)", "ab%2Fc%2Bd%22e%2541%5C%3D%3D", "ab%2fc%2bd%22e%2541%5c%3d%3d",
                              R"(ab/c+d\"e%41\\==)", R"(ab\/c\u002bd\u0022e%41\\\u003D=)", "%61b/c+d%22e%41%5c=%3D"}) {
    std::ostringstream text;
    text << '<' << written << "> <" << written;
    EXPECT_EQ(Hidden(text.str(), kSecret), "<[secret]> <[secret]") << written;
  }
  EXPECT_EQ(Hidden("key=two+words%20more", "two words more"), "key=[secret]");
  EXPECT_EQ(Hidden("key=two words more", "two+words+more"), "key=[secret]");
  EXPECT_EQ(Hidden("%6", "ABCDEFGHI"), "%6") << "and reads nothing behind the end";
  EXPECT_EQ(Hidden("ab%2Fcdefg%", "ab/cdefg%x"), "[secret]");
  for (const char* end : {"&", "&#", "&#x", "&#;", "&#x;", "&#999;", "\\", "\\u", "\\u00", "%", "%4"}) {
    EXPECT_EQ(Hidden(std::string("text that ends in ") + end, "ABCDEFGHI"), std::string("text that ends in ") + end);
  }
}

TEST(HideSecrets, FindsThemInEverySpelling) {
  const std::string secret = "ya29.tok-1_2~!$'()*,;:@&=+/?#[]%\"<> z";
  for (const testing::Spelling& outer : testing::kSpellings) {
    for (const testing::Spelling& inner : testing::kSpellings) {
      if (!outer.is_escape && !inner.is_escape) continue;  // base64 of base64
      if (!outer.is_escape && inner.is_escape && inner.name != "percent") continue;
      const std::string text = Hidden("<<" + outer.write(inner.write(secret)) + ">>", secret);
      EXPECT_THAT(text, HasSubstr("[secret]")) << outer.name << " of " << inner.name;
      EXPECT_EQ(testing::PieceFinder({secret}).Find(text), "") << outer.name << " of " << inner.name << ": " << text;
    }
  }
}

TEST(HideSecrets, FindsBase64AtAnyOffset) {
  constexpr std::string_view kSecret = "0123456789/+?>ABCDEF";
  for (const std::string before : {"", "x", "xy", "xyz"}) {
    for (const std::string behind : {"", "x", "xy"}) {
      const std::string text = testing::Base64(std::string(before).append(kSecret).append(behind));
      const std::string hidden = Hidden(text, kSecret);
      EXPECT_THAT(hidden, HasSubstr("[secret]")) << text;
      EXPECT_LE(hidden.size(), std::string("[secret]").size() + 12) << text << " -> " << hidden;
    }
  }
}

TEST(HideSecrets, KeepsShortSecrets) {
  EXPECT_EQ(Hidden("a test", "t"), "a test");
  EXPECT_EQ(Hidden("a test", ""), "a test");
  EXPECT_EQ(Hidden("", "12345678"), "");
}

TEST(SecretsOfSessionUrl, AreItsIdAndUnknownParameters) {
  EXPECT_THAT(
      SecretsOfSessionUrl("https://h.test/upload/storage/v1/b/the-bucket/o?name=a&upload_id=AB%2Fcd&x=1", "the-bucket"),
      ElementsAre("AB%2Fcd", "upload", "storage", "v1", "b", "o"));
  EXPECT_THAT(SecretsOfSessionUrl("http://127.0.0.1:1/s/AbCdEf?x", "bkt"), ElementsAre("/s/AbCdEf?x"));
  EXPECT_THAT(SecretsOfSessionUrl("http://127.0.0.1:1", "bkt"), ElementsAre(""));
}

TEST(CarriedSecrets, HidesNotedSecrets) {
  CarriedSecrets secrets;
  secrets.NoteShared(std::make_shared<const std::vector<std::string>>(1, "key-of-a-gateway"));
  for (const char* token : {"token-number-1", "token-number-2", "token-number-2", "token-number-3"}) {
    secrets.NoteToken(std::make_shared<const std::string>(token));
  }
  secrets.Note("own-secret");
  Error error{.message = "token-number-2 key-of-a-gateway token-number-3 own-secret", .reason = "because own-secret"};
  secrets.HideIn(error);
  EXPECT_EQ(error.message, "[secret] [secret] [secret] [secret]");
  EXPECT_EQ(error.reason, "because [secret]");
}

}  // namespace
}  // namespace gcsflux::internal
