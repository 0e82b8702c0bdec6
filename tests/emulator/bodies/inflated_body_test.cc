#include "bodies/inflated_body.h"

#include <gtest/gtest.h>

#include <string>

#include "emulator/support/gzip.h"
#include "emulator/support/text_body.h"

namespace gcsflux::emulator {
namespace {

std::string Inflated(const std::string& text, bool breaks_off = false) {
  TextBody inner(text, breaks_off);
  InflatedBody body(inner);
  EXPECT_EQ(body.announced_size(), std::nullopt);
  return ReadToEnd(body);
}

TEST(InflatedBody, DecompressesItsMembers) {
  std::string large;
  for (int i = 0; i < 50'000; ++i) large += std::to_string(i);
  EXPECT_EQ(Inflated(Gzip("some text")), "some text");
  EXPECT_EQ(Inflated(Gzip("one ") + Gzip("") + Gzip("two")), "one two");
  EXPECT_EQ(Inflated(Gzip(large)), large);
}

TEST(InflatedBody, PassesABodyThatIsNotGzip) {
  for (const char* text : {"", "{", "{\"name\":\"a\"}", "\x1f"}) EXPECT_EQ(Inflated(text), text);
}

TEST(InflatedBody, BreaksWithItsBody) {
  const std::string whole = Gzip("some text");
  EXPECT_EQ(Inflated(whole.substr(0, whole.size() - 1)), "some text|broken");
  EXPECT_EQ(Inflated(whole, /*breaks_off=*/true), "some text|broken");
  EXPECT_EQ(Inflated("", /*breaks_off=*/true), "|broken");
  std::string changed = whole;
  changed[changed.size() - 8] ^= 1;  // its CRC
  EXPECT_TRUE(Inflated(changed).ends_with("|broken"));
}

}  // namespace
}  // namespace gcsflux::emulator
