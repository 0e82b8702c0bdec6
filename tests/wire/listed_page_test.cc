#include "wire/listed_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/base64.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

Result<ListedPage> Parse(const std::string& json) { return ListedPageParser().Parse(json); }

TEST(ListedPageParser, ReadsWhatAnObjectIs) {
  const auto page =
      Parse(R"({"items":[{"name":"a/ü\n\"","generation":"17","size":"18446744073709551615","crc32c":"A+0jug==",)"
            R"("storageClass":"COLDLINE","updated":"2020-01-14T10:55:16.767Z","metadata":{"more":"than asked"}},)"
            R"({"name":"b","generation":"2"}],"prefixes":["c/","d/"],"nextPageToken":"t"})");
  ASSERT_TRUE(page.ok()) << page.error().message;
  ASSERT_EQ(page->objects.size(), 2U);
  const ListedObject& object = page->objects[0];
  EXPECT_EQ(object.name, "a/ü\n\"");
  EXPECT_EQ(object.generation, 17);
  EXPECT_EQ(object.size, 18446744073709551615U);
  EXPECT_EQ(object.crc32c, Crc32cFromBase64("A+0jug=="));
  EXPECT_EQ(object.storage_class, "COLDLINE");
  EXPECT_EQ(object.updated.time_since_epoch(), std::chrono::milliseconds(1578999316767));
  EXPECT_FALSE(page->objects[1].crc32c);
  EXPECT_EQ(page->objects[1].storage_class, "");
  EXPECT_EQ(page->prefixes, (std::vector<std::string>{"c/", "d/"}));
  EXPECT_EQ(page->next_page_token, "t");
}

TEST(ListedPageParser, TakesAnEmptyBucket) {
  const auto page = Parse(R"({"kind":"storage#objects"})");
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(page->objects.empty());
}

// Pages of every length, so that they end at every distance from the end of the memory that holds them.
TEST(ListedPageParser, ReadsWhatTheOtherParserDoes) {
  std::string items;
  for (int i = 0; i < 200; ++i) {
    items += std::string(i == 0 ? "" : ",") + R"({"name":"name-)" + std::string(static_cast<std::size_t>(i % 7), 'x') +
             std::to_string(i) + R"(","generation":"1","size":")" + std::to_string(i) + R"("})";
    const std::string json = R"({"items":[)" + items + "]}";
    const auto page = Parse(json);
    const auto want = ParseObjectPage(json);
    ASSERT_TRUE(page.ok() && want.ok());
    ASSERT_EQ(page->objects.size(), want->objects.size());
    EXPECT_EQ(page->objects.back().name, want->objects.back().name);
    EXPECT_EQ(page->objects.back().size, want->objects.back().size);
  }
}

TEST(ListedPageParser, RefusesWhatIsNone) {
  const std::string long_name(500, 'x');
  const std::string cases[] = {"",
                               "<html>",
                               "[]",
                               "null",
                               R"({"items":[)",
                               R"({"items":[]}})",
                               R"({"items":{}})",
                               R"({"items":[1]})",
                               R"({"items":[{"name":"a"}]})",
                               R"({"items":[{"generation":"1"}]})",
                               R"({"items":[{"name":"","generation":"1"}]})",
                               R"({"items":[{"name":1,"generation":"1"}]})",
                               R"({"items":[{"name":"a","generation":"1x"}]})",
                               R"({"items":[{"name":"a","generation":1}]})",
                               R"({"items":[{"name":"a","generation":"1","size":"-1"}]})",
                               R"({"items":[{"name":"a","generation":"1","size":"99999999999999999999"}]})",
                               R"({"items":[{"name":"a","generation":"1","crc32c":"AA=="}]})",
                               R"({"items":[{"name":"a","generation":"1","updated":"yesterday"}]})",
                               "{\"items\":[{\"name\":\"\xFF\",\"generation\":\"1\"}]}",
                               R"({"prefixes":"a/"})",
                               R"({"prefixes":[1]})",
                               R"({"nextPageToken":1})",
                               R"({"nextPageToken":")" + long_name};
  for (const std::string& json : cases) {
    const auto page = Parse(json);
    ASSERT_FALSE(page.ok()) << json;
    EXPECT_EQ(page.error().code, ErrorCode::kBadResponse) << json;
    EXPECT_THAT(page.error().message, HasSubstr(json.substr(0, 256)));
    EXPECT_LT(page.error().message.size(), 400U) << json;
  }
}

TEST(ListedPageRequest, AsksForNothingThatIsNotRead) {
  const auto url = [](const ListObjectsOptions& options) { return ListedPageRequest("http://host", "b", options).url; };
  EXPECT_THAT(url({}), HasSubstr("fields=nextPageToken%2Cprefixes%2Citems%28name%2Cgeneration%2Csize%2Ccrc32c%2C"
                                 "storageClass%2Cupdated%29"));
  EXPECT_THAT(url({.delimiter = "/"}), HasSubstr("items%28name%2Cgeneration%29"));
}

TEST(StorageClass, IsItsName) {
  EXPECT_EQ(StorageClass("NEARLINE"), StorageClass(std::string("NEARLINE")));
  EXPECT_EQ(StorageClass("NEARLINE"), "NEARLINE");
  EXPECT_FALSE(StorageClass("NEARLINE") == StorageClass("STANDARD"));
  EXPECT_EQ(StorageClass(), StorageClass(""));
  EXPECT_EQ(StorageClass().name(), "");
  EXPECT_EQ(sizeof(StorageClass), sizeof(void*));
}

TEST(StorageClass, KeepsNoMoreNamesThanThereCanBe) {
  for (int i = 0; i < 1000; ++i) StorageClass("CLASS_" + std::to_string(i));
  EXPECT_EQ(StorageClass("ONE_MORE"), "OTHER");
}

}  // namespace
}  // namespace gcsflux::internal
