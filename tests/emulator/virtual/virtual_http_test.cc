// A virtual bucket as clients see it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "http/hash_text.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr std::uint64_t kCount = 20'000'000;
constexpr std::uint64_t kSize = 100'000;

class VirtualHttpTest : public ::testing::Test {
 protected:
  json GetJson(const std::string& target) {
    const RawResponse response = client_.Call("GET", target);
    EXPECT_EQ(response.status, 200) << target;
    return json::parse(response.body);
  }
  json FirstObject() { return GetJson("/storage/v1/b/big/o?maxResults=1").at("items").at(0); }
  static std::string Target(const json& object) {
    return "/storage/v1/b/big/o/" + object.at("name").get<std::string>();
  }

  Emulator emulator_{
      {.virtual_buckets = {{.name = "big", .count = kCount, .size_bytes = kSize},
                           {.name = "folders", .count = kCount, .pattern = NamePattern::kClassDirectories},
                           {.name = "huge", .count = 32, .size_bytes = std::uint64_t{1} << 40}}}};
  RawConnection client_{emulator_.endpoint()};
};

void ExpectRefused(const RawResponse& response) {
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(json::parse(response.body).at("error").at("errors").at(0).at("reason"), "retentionPolicyNotMet");
}

TEST_F(VirtualHttpTest, ShowsAnObjectWithoutMd5) {
  const json listed = FirstObject();
  EXPECT_EQ(listed.at("size"), std::to_string(kSize));
  EXPECT_EQ(listed.at("storageClass"), "STANDARD");
  EXPECT_FALSE(listed.contains("md5Hash"));
  EXPECT_FALSE(listed.contains("componentCount"));
  EXPECT_EQ(GetJson(Target(listed)), listed);
}

TEST_F(VirtualHttpTest, ServesBytesWithTheirChecksum) {
  const json object = FirstObject();
  const RawResponse whole = client_.Call("GET", Target(object) + "?alt=media");
  ASSERT_EQ(whole.body.size(), kSize);
  const std::string crc32c = EncodeCrc32c(ExtendCrc32c(0, std::as_bytes(std::span(whole.body))));
  EXPECT_EQ(object.at("crc32c"), crc32c);
  EXPECT_EQ(whole.Header("x-goog-hash"), "crc32c=" + crc32c);
  const RawResponse part = client_.Call("GET", Target(object) + "?alt=media", "Range: bytes=4000-77776\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(part.body == whole.body.substr(4000, 73'777));
}

TEST_F(VirtualHttpTest, ListsFromAnyName) {
  const std::string fields = "&fields=items(name),prefixes,nextPageToken";
  json page = GetJson("/storage/v1/b/big/o?maxResults=5000&startOffset=8" + fields);
  ASSERT_EQ(page.at("items").size(), 5000U);
  EXPECT_TRUE(page.at("items").at(0).at("name").get<std::string>().starts_with("8000"));
  const std::string last = page.at("items").at(4999).at("name");
  page = GetJson("/storage/v1/b/big/o?maxResults=1&pageToken=" + page.at("nextPageToken").get<std::string>() + fields);
  EXPECT_GT(page.at("items").at(0).at("name").get<std::string>(), last);
  page = GetJson("/storage/v1/b/big/o?startOffset=ffffff&endOffset=ffffff8" + fields);
  EXPECT_LT(page.at("items").size(), 1000U);
  EXPECT_FALSE(page.contains("nextPageToken"));
}

TEST_F(VirtualHttpTest, FoldsMillionsOfNamesIntoDirectories) {
  const json page = GetJson("/storage/v1/b/folders/o?delimiter=/&maxResults=5000");
  EXPECT_EQ(page.at("prefixes").size(), 1000U);
  EXPECT_FALSE(page.contains("items"));
  EXPECT_FALSE(page.contains("nextPageToken"));
}

TEST_F(VirtualHttpTest, RefusesToChangeItsObjects) {
  const json object = FirstObject();
  const std::string upload = "/upload/storage/v1/b/big/o?uploadType=media&name=" + object.at("name").get<std::string>();
  ExpectRefused(client_.Call("POST", upload, "", "mine"));
  ExpectRefused(client_.Call("DELETE", Target(object)));
  ExpectRefused(client_.Call("PATCH", Target(object), "", R"({"contentType":"x/y"})"));
  EXPECT_EQ(client_.Call("POST", upload + "&ifGenerationMatch=0", "", "mine").status, 412);
  EXPECT_EQ(client_.Call("DELETE", "/storage/v1/b/big").status, 409);
  EXPECT_EQ(GetJson(Target(object)), object);
}

TEST_F(VirtualHttpTest, StoresOtherNamesBesideThem) {
  const std::string upload = "/upload/storage/v1/b/big/o?uploadType=media&name=";
  ASSERT_EQ(client_.Call("POST", upload + "0own", "", "mine").status, 200);
  ASSERT_EQ(client_.Call("POST", upload + "zown", "", "mine").status, 200);
  EXPECT_EQ(GetJson("/storage/v1/b/big/o?startOffset=ffffffff8").at("items").back().at("name"), "zown");
  EXPECT_EQ(GetJson("/storage/v1/b/big/o?prefix=0o").at("items").size(), 1U);
  EXPECT_EQ(client_.Call("DELETE", "/storage/v1/b/big/o/zown").status, 204);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/big/o/zown").status, 404);
}

TEST_F(VirtualHttpTest, ComposesTerabytes) {
  const json items = GetJson("/storage/v1/b/huge/o?maxResults=5").at("items");
  json sources = json::array();
  for (const json& object : items) sources.push_back({{"name", object.at("name")}});
  const std::string body = json{{"sourceObjects", sources}}.dump();
  const RawResponse composed = client_.Call("POST", "/storage/v1/b/huge/o/composed/compose", "", body);
  ASSERT_EQ(composed.status, 200) << composed.body;
  EXPECT_EQ(json::parse(composed.body).at("size"), std::to_string(std::uint64_t{5} << 40));
  EXPECT_EQ(json::parse(composed.body).at("componentCount"), 5);
  const std::string range = "Range: bytes=1099511627770-1099511627781\r\n";  // across the first boundary
  const RawResponse seam = client_.Call("GET", "/storage/v1/b/huge/o/composed?alt=media", range);
  const std::string first = "/storage/v1/b/huge/o/" + sources.at(0).at("name").get<std::string>() + "?alt=media";
  const std::string second = "/storage/v1/b/huge/o/" + sources.at(1).at("name").get<std::string>() + "?alt=media";
  EXPECT_EQ(seam.body, client_.Call("GET", first, "Range: bytes=-6\r\n").body +
                           client_.Call("GET", second, "Range: bytes=0-5\r\n").body);
}

TEST_F(VirtualHttpTest, ComposesNothingAbove5Tebibytes) {
  json sources = json::array();
  const json page = GetJson("/storage/v1/b/huge/o?maxResults=6");
  for (const json& object : page.at("items")) {
    sources.push_back({{"name", object.at("name")}});
  }
  const std::string body = json{{"sourceObjects", sources}}.dump();
  const RawResponse composed = client_.Call("POST", "/storage/v1/b/huge/o/composed/compose", "", body);
  EXPECT_EQ(composed.status, 413) << composed.body;
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/huge/o/composed").status, 404);
}

TEST_F(VirtualHttpTest, RemainsAfterAReset) {
  const json object = FirstObject();
  ASSERT_EQ(client_.Call("POST", "/upload/storage/v1/b/big/o?uploadType=media&name=own", "", "mine").status, 200);
  emulator_.Reset();
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/big/o/own").status, 404);
  EXPECT_EQ(GetJson(Target(object)), object);
}

TEST(VirtualBucketOptions, AreCheckedBeforeServing) {
  EXPECT_THROW(Emulator({.virtual_buckets = {{.name = "x"}}}), std::invalid_argument);
}

}  // namespace
}  // namespace gcsflux::emulator
