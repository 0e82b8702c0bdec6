#include "wire/listed_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/text/base64.h"
#include "support/fails_with.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

Result<ListedPage> Parse(const std::string& json) { return ListedPageParser().Parse(json); }

TEST(ListedPageParser, ReadsTheFieldsOfAnObject) {
  const auto page =
      Parse(R"({"items":[{"name":"a/ü\n\"","generation":"17","size":"18446744073709551615","crc32c":"A+0jug==",)"
            R"("storageClass":"COLDLINE","updated":"2020-01-14T10:55:16.767Z","metadata":{"more":"than asked"}},)"
            R"({"name":"b","generation":"2","size":"0"}],"prefixes":["c/","d/"],"nextPageToken":"t"})");
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

// As in fake-gcs-server, which has no pages, and returns all fields for any `fields`.
TEST(ListedPageParser, ReadsALongPageOfManyObjects) {
  const std::string object =
      R"({"kind":"storage#object","name":"a","id":"b/a","bucket":"b","generation":"1","metageneration":"1","size":"1",)"
      R"("crc32c":"A+0jug==","contentType":"text/plain","storageClass":"STANDARD","etag":"abc","metadata":{"k":"v"},)"
      R"("timeCreated":"2020-01-14T10:55:16.767Z","updated":"2020-01-14T10:55:16.767Z","md5Hash":"abcdefghijklmnop",)"
      R"("mediaLink":"http://127.0.0.1:4443/download/storage/v1/b/b/o/a?generation=1&alt=media","componentCount":1})";
  std::string page = R"({"kind":"storage#objects","items":[)" + object;
  constexpr std::size_t kObjects = 20'000;
  for (std::size_t i = 1; i < kObjects; ++i) page += "," + object;
  ASSERT_GT(page.size(), 8U << 20);
  const auto parsed = Parse(page + "]}");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->objects.size(), kObjects);
}

TEST(ListedPageParser, RefusesALongPageOfManyValues) {
  std::string page = R"({"others":[)";
  while (page.size() < (9U << 20)) page += "[],";
  EXPECT_FALSE(Parse(page + "[]]}").ok());
  EXPECT_TRUE(Parse(page.substr(0, page.find(',') + 1) + "[]]}").ok());
  const std::string name(9U << 20, ',');
  EXPECT_TRUE(Parse(R"({"items":[{"name":")" + name + R"(","generation":"1","size":"1"}]})").ok());
}

TEST(ListedPageParser, ReusesTheMemoryOfAPage) {
  ListedPageParser parser;
  EXPECT_EQ(parser.TakeText(), "");
  std::string page = R"({"prefixes":[")" + std::string(5000, 'a') + R"("]})";
  ASSERT_TRUE(parser.Parse(std::move(page)).ok());
  const std::string first = parser.TakeText();
  EXPECT_EQ(first, "");
  EXPECT_GE(first.capacity(), 5000U);
  EXPECT_LT(parser.TakeText().capacity(), 5000U) << "one page was lent twice";
}

TEST(ListedPageParser, AcceptsAnEmptyBucket) {
  const auto page = Parse(R"({"kind":"storage#objects"})");
  ASSERT_TRUE(page.ok());
  EXPECT_TRUE(page->objects.empty());
}

// Pages of every length, so that they end at every distance from the end of their memory.
TEST(ListedPageParser, MatchesTheOtherParser) {
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

struct PageCase {
  std::string json;
  bool is_page = false;
};

// The fields of one item beside its name and its generation.
std::string Item(const std::string& rest) { return R"({"items":[{"name":"a","generation":"1")" + rest + "}]}"; }

const std::vector<PageCase> kPages = {{""},
                                      {"<html>"},
                                      {"[]"},
                                      {"null"},
                                      {"{}", true},
                                      {R"({"items":[)"},
                                      {R"({"items":[]}})"},
                                      {R"({"items":[]})", true},
                                      {R"({"items":{}})"},
                                      {R"({"items":null})"},
                                      {R"({"items":"a"})"},
                                      {R"({"items":[1]})"},
                                      {R"({"items":[null]})"},
                                      {R"({"items":[[]]})"},
                                      {R"({"items":[{"name":"a","size":"1"}]})"},
                                      {R"({"items":[{"generation":"1","size":"1"}]})"},
                                      {R"({"items":[{"name":"","generation":"1","size":"1"}]})"},
                                      {R"({"items":[{"name":null,"generation":"1","size":"1"}]})"},
                                      {R"({"items":[{"name":1,"generation":"1","size":"1"}]})"},
                                      {R"({"items":[{"name":"a","generation":"1x","size":"1"}]})"},
                                      {R"({"items":[{"name":"a","generation":"0","size":"1"}]})"},
                                      {R"({"items":[{"name":"a","generation":"","size":"1"}]})"},
                                      {R"({"items":[{"name":"a","generation":1,"size":"1"}]})"},
                                      {R"({"items":[{"name":"a","generation":"-1","size":"1"}]})"},
                                      {Item(R"(,"size":"0","crc32c":"AAAAAA==")"), true},
                                      {Item(R"(,"crc32c":"4waSgw==","size":"0")")},
                                      {Item(R"(,"size":"1")"), true},
                                      {Item(R"(,"size":"18446744073709551615")"), true},
                                      {Item("")},
                                      {Item(R"(,"size":"")")},
                                      {Item(R"(,"size":null)")},
                                      {Item(R"(,"size":1)")},
                                      {Item(R"(,"size":"-1")")},
                                      {Item(R"(,"size":"+1")")},
                                      {Item(R"(,"size":" 1")")},
                                      {Item(R"(,"size":"99999999999999999999")")},
                                      {Item(R"(,"size":"1","crc32c":"A+0jug==")"), true},
                                      {Item(R"(,"size":"1","crc32c":"AA==")")},
                                      {Item(R"(,"size":"1","crc32c":"")")},
                                      {Item(R"(,"size":"1","crc32c":null)")},
                                      {Item(R"(,"size":"1","updated":"2020-01-14T10:55:16Z")"), true},
                                      {Item(R"(,"size":"1","updated":"9999-12-31T23:59:59Z")"), true},
                                      {Item(R"(,"size":"1","updated":"yesterday")")},
                                      {Item(R"(,"size":"1","updated":"")")},
                                      {Item(R"(,"size":"1","updated":0)")},
                                      {Item(R"(,"size":"1","storageClass":1)")},
                                      {"{\"items\":[{\"name\":\"\xFF\",\"generation\":\"1\",\"size\":\"1\"}]}"},
                                      {R"({"prefixes":["a/"]})", true},
                                      {R"({"prefixes":[]})", true},
                                      {R"({"prefixes":null})"},
                                      {R"({"prefixes":{}})"},
                                      {R"({"prefixes":"a/"})"},
                                      {R"({"prefixes":[1]})"},
                                      {R"({"nextPageToken":"t"})", true},
                                      {R"({"nextPageToken":""})", true},
                                      {R"({"nextPageToken":1})"},
                                      {R"({"nextPageToken":null})"},
                                      {R"({"nextPageToken":")" + std::string(500, 'x')}};

// There are two parsers: for all fields of an object, and for those that a parallel listing keeps.
TEST(ListedPageParser, AcceptsTheSamePagesAsTheOtherParser) {
  for (const PageCase& one : kPages) {
    const auto page = Parse(one.json);
    const auto other = ParseObjectPage(one.json);
    EXPECT_EQ(page.ok(), one.is_page) << one.json;
    EXPECT_EQ(other.ok(), one.is_page) << one.json;
    if (page.ok() || other.ok()) continue;
    for (const Error& error : {page.error(), other.error()}) {
      EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kBadResponse, HasSubstr(one.json.substr(0, 256)))) << one.json;
      EXPECT_LT(error.message.size(), 400U) << one.json;
    }
  }
}

TEST(ListedPageParser, MatchesTheOtherParserForDuplicateKeys) {
  const std::string json = R"({"items":[{"name":"a","generation":"1","size":"1"}],"prefixes":["p/"],)"
                           R"("items":[{"name":"b","generation":"1","size":"1"}],"prefixes":["q/"]})";
  const auto page = Parse(json);
  const auto other = ParseObjectPage(json);
  ASSERT_TRUE(page.ok() && other.ok());
  ASSERT_EQ(page->objects.size(), 1U);
  ASSERT_EQ(other->objects.size(), 1U);
  EXPECT_EQ(page->objects[0].name, other->objects[0].name);
  EXPECT_EQ(page->prefixes, other->prefixes);
}

TEST(ObjectPage, MayOmitUnrequestedSizes) { EXPECT_TRUE(ParseObjectPage(Item(""), /*has_sizes=*/false).ok()); }

TEST(ListedPageRequest, RequestsOnlyTheFieldsThatAreRead) {
  const auto url = [](const ListOptions& options) { return ListedPageRequest("http://host", {"b"}, options).url; };
  EXPECT_THAT(url({}), HasSubstr("fields=nextPageToken%2Cprefixes%2Citems%28name%2Cgeneration%2Csize%2Ccrc32c%2C"
                                 "storageClass%2Cupdated%2CkmsKeyName%29"));
  EXPECT_THAT(url({.delimiter = "/"}), HasSubstr("items%28name%2Cgeneration%2Csize%2Ccrc32c%29"));
}

TEST(InternedName, EqualsItsName) {
  EXPECT_EQ(InternedName("NEARLINE"), InternedName(std::string("NEARLINE")));
  EXPECT_EQ(InternedName("NEARLINE"), "NEARLINE");
  EXPECT_FALSE(InternedName("NEARLINE") == InternedName("STANDARD"));
  EXPECT_EQ(InternedName(), InternedName(""));
  EXPECT_EQ(InternedName().name(), "");
  EXPECT_EQ(sizeof(InternedName), sizeof(void*));
}

TEST(InternedName, LimitsItsNames) {
  for (int i = 0; i < 5000; ++i) InternedName("CLASS_" + std::to_string(i));
  EXPECT_EQ(InternedName("ONE_MORE"), "OTHER");
  EXPECT_EQ(InternedName(std::string(2000, 'x')), "OTHER");
}

}  // namespace
}  // namespace gcsflux::internal
