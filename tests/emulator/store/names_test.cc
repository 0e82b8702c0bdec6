#include "store/objects/names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

TEST(CheckBucketName, FollowsTheNamingRules) {
  for (const std::string& name : {std::string("abc"), std::string("a-b_c.d1"), std::string(63, 'a'),
                                  std::string(63, 'a') + "." + std::string(63, 'b'), std::string("1.2.3")}) {
    EXPECT_TRUE(CheckBucketName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("ab"), std::string(64, 'a'), std::string("Abc"), std::string("abc-"),
        std::string("-abc"), std::string("a..b"), std::string("a b"), std::string("192.168.0.1"),
        std::string("goog-abc"), std::string("a/b"), std::string("\xC3\xA9\xC3\xA9\xC3\xA9"), std::string("ab\xFF")}) {
    EXPECT_FALSE(CheckBucketName(name)) << name;
  }
}

TEST(CheckObjectName, FollowsTheNamingRules) {
  for (const std::string& name : {std::string("a"), std::string("a/b c?#%"), std::string(1024, 'n'), std::string("..."),
                                  std::string("a/."), std::string("\xF0\x9F\x98\x80"), std::string("\0", 1)}) {
    EXPECT_TRUE(CheckObjectName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string(1025, 'n'), std::string("a\rb"), std::string("a\nb"), std::string("."),
        std::string(".."), std::string(".well-known/acme-challenge/x"), std::string("a\xFF")}) {
    EXPECT_FALSE(CheckObjectName(name)) << name;
  }
}

TEST(IsUtf8, AcceptsWellFormedSequences) {
  for (const char* text : {"", "plain", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
  for (const char* text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xE1\x80", "\xED\xA0\x80",
                           "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC2\x41", "a\xFE"}) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
