// The fields of an answer that `fields` selects.

#include "json_api/field_mask.h"

#include <gtest/gtest.h>

namespace gcsflux::emulator {
namespace {

TEST(FieldMask, SelectsTheNamedFields) {
  const auto mask = FieldMask::Parse("nextPageToken,items(name,metadata/key),prefixes,items/size,kind/*");
  ASSERT_TRUE(mask);
  EXPECT_TRUE(mask->Includes("nextPageToken"));
  EXPECT_FALSE(mask->Includes("selfLink"));
  EXPECT_TRUE(mask->Inside("items").Includes("name"));
  EXPECT_TRUE(mask->Inside("items").Includes("size"));
  EXPECT_FALSE(mask->Inside("items").Includes("md5Hash"));
  EXPECT_TRUE(mask->Inside("kind").Includes("anything"));
}

TEST(FieldMask, PrefersAWholeFieldToItsParts) {
  for (const char* text : {"items,items(name)", "items(name),items", "*", "items/*"}) {
    const auto mask = FieldMask::Parse(text);
    ASSERT_TRUE(mask) << text;
    EXPECT_TRUE(mask->Inside("items").Includes("size")) << text;
  }
}

TEST(FieldMask, RefusesMalformedMasks) {
  for (const std::string& text :
       {std::string("a,"), std::string(",a"), std::string("a(b"), std::string("a)b"), std::string("a()"),
        std::string("a//b"), std::string("a/"), std::string("(a)"), std::string("a(b)c"), std::string(10'000, '('), [] {
          std::string deep;
          for (int i = 0; i < 10'000; ++i) deep += "a/";
          return deep + "a";
        }()}) {
    EXPECT_FALSE(FieldMask::Parse(text)) << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace gcsflux::emulator
