// Copies and rewrites, and the tokens of rewrites in several calls.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"
#include "json_api/rewrite_token.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

class CopyTest : public EmulatorTest {
 protected:
  void SetUp() override {
    for (const char* name : {"from", "into"}) {
      ASSERT_EQ(Call("POST", "/storage/v1/b", R"({"name":")" + std::string(name) + R"("})").status, 200);
    }
  }

  RawResponse Call(const std::string& method, const std::string& target, const std::string& body = "") {
    return client_.Call(method, target, "", body);
  }
  json Put(const std::string& name, const std::string& content) {
    return json::parse(Call("POST", "/upload/storage/v1/b/from/o?uploadType=media&name=" + name, content).body);
  }
  // From the bucket "from" into the bucket "into".
  json Copy(const std::string& target, const std::string& body = "", int status = 200) {
    const RawResponse response = Call("POST", "/storage/v1/b/from/o/" + target, body);
    EXPECT_EQ(response.status, status) << target << ": " << response.body;
    return json::parse(response.body);
  }
  json Patch(const std::string& target, const std::string& body) {
    const RawResponse response = Call("PATCH", target, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body);
  }

 private:
  RawConnection client_{endpoint()};
};

TEST_F(CopyTest, SplitsNamesWithSlashes) {
  Put("a%2FcopyTo%2Fb", "slashes");
  Copy("a%2FcopyTo%2Fb/copyTo/b/into/o/x%2Fo%2Fy");
  EXPECT_EQ(Call("GET", "/storage/v1/b/into/o/x%2Fo%2Fy?alt=media").body, "slashes");
}

TEST_F(CopyTest, TreatsAnEmptyJsonObjectAsNoMetadata) {
  Put("a", "content");
  Patch("/storage/v1/b/from/o/a", R"({"contentType":"text/css","metadata":{"k":"v"}})");
  for (const char* body : {"", "{}", R"({"storageClass":"STANDARD"})", R"({"name":"elsewhere"})"}) {
    const json copy = Copy("a/copyTo/b/into/o/a", body);
    EXPECT_EQ(copy.at("name"), "a") << body;
    EXPECT_EQ(copy.at("contentType"), "text/css") << body;
    EXPECT_EQ(copy.at("metadata").at("k"), "v") << body;
  }
}

TEST_F(CopyTest, UsesTheDestinationsStorageClass) {
  Put("a", "content");
  Patch("/storage/v1/b/into", R"({"storageClass":"ARCHIVE"})");
  EXPECT_EQ(Copy("a/copyTo/b/into/o/a").at("storageClass"), "ARCHIVE");
  EXPECT_EQ(Copy("a/copyTo/b/into/o/b", R"({"storageClass":"COLDLINE"})").at("storageClass"), "COLDLINE");
}

TEST_F(CopyTest, KeepsTheComponentCountOnlyIfNoBytesMove) {
  Put("a", "content");
  const std::string sources = R"({"sourceObjects":[{"name":"a"},{"name":"a"},{"name":"a"}]})";
  ASSERT_EQ(Call("POST", "/storage/v1/b/from/o/all/compose", sources).status, 200);
  EXPECT_EQ(Copy("all/copyTo/b/into/o/near").at("componentCount"), 3);
  EXPECT_EQ(Copy("all/copyTo/b/into/o/far", R"({"storageClass":"NEARLINE"})").at("componentCount"), 1);
  EXPECT_FALSE(Copy("a/copyTo/b/into/o/plain", R"({"storageClass":"NEARLINE"})").contains("componentCount"));
}

TEST_F(CopyTest, AppearsInTheJournal) {
  Put("a", "content");
  Copy("a/copyTo/b/into/o/b");
  Copy("a/rewriteTo/b/into/o/c");
  const auto journal = emulator().journal();
  ASSERT_GE(journal.size(), 2U);
  EXPECT_EQ(journal[journal.size() - 2].operation, "storage.objects.copy");
  EXPECT_EQ(journal.back().operation, "storage.objects.rewrite");
  EXPECT_EQ(journal.back().object, "c");
}

constexpr auto kLimited = "?maxBytesRewrittenPerCall=1048576";

TEST_F(CopyTest, DoesNotLimitARewriteThatMovesNoBytes) {
  Put("a", std::string(3 << 20, 'x'));
  const json answer = Copy(std::string("a/rewriteTo/b/into/o/a") + kLimited);
  EXPECT_EQ(answer.at("done"), true);
  EXPECT_EQ(answer.at("totalBytesRewritten"), "3145728");
}

TEST_F(CopyTest, LimitsARewriteIntoAnotherLocation) {
  ASSERT_EQ(Call("POST", "/storage/v1/b", R"({"name":"far","location":"EU"})").status, 200);
  Put("a", std::string((1 << 20) + 1, 'x'));
  const json first = Copy(std::string("a/rewriteTo/b/far/o/a") + kLimited);
  EXPECT_EQ(first.at("done"), false);
  const json second = Copy(std::string("a/rewriteTo/b/far/o/a") + kLimited +
                           "&rewriteToken=" + first.at("rewriteToken").get<std::string>());
  EXPECT_EQ(second.at("done"), true);
  EXPECT_EQ(second.at("resource").at("size"), "1048577");
}

TEST_F(CopyTest, InvalidatesATokenWithItsGeneration) {
  const std::string nearline = R"({"storageClass":"NEARLINE"})";
  const std::string target = std::string("a/rewriteTo/b/into/o/a") + kLimited;
  Put("a", std::string(3 << 20, 'x'));
  const std::string token = Copy(target, nearline).at("rewriteToken");
  Put("a", std::string(3 << 20, 'y'));
  Copy(target + "&rewriteToken=" + token, nearline, 400);
  EXPECT_EQ(Call("GET", "/storage/v1/b/into/o/a").status, 404);
}

TEST_F(CopyTest, ChecksConditionsAtEachCallOfARewrite) {
  const std::string nearline = R"({"storageClass":"NEARLINE"})";
  const std::string target = std::string("a/rewriteTo/b/into/o/a") + kLimited + "&ifGenerationMatch=0";
  Put("a", std::string((1 << 20) + 1, 'x'));
  const std::string token = Copy(target, nearline).at("rewriteToken");
  Copy("a/copyTo/b/into/o/a");  // another rewrite's
  Copy(target, nearline, 412);
  Copy(target + "&rewriteToken=" + token, nearline, 412);
}

TEST(RewriteToken, BelongsToItsRewrite) {
  const RewriteName name{"from", "a", 7, "into", "b", 1 << 20};
  const std::string token = EncodeRewriteToken(name, 5 << 20);
  EXPECT_EQ(DecodeRewriteToken(name, token), 5U << 20);
  for (const RewriteName& other :
       {RewriteName{"other", "a", 7, "into", "b", 1 << 20}, RewriteName{"from", "c", 7, "into", "b", 1 << 20},
        RewriteName{"from", "a", 8, "into", "b", 1 << 20}, RewriteName{"from", "a", 7, "other", "b", 1 << 20},
        RewriteName{"from", "a", 7, "into", "c", 1 << 20}, RewriteName{"from", "a", 7, "into", "b", 2 << 20}}) {
    EXPECT_FALSE(DecodeRewriteToken(other, token));
  }
  for (const std::string& forged : {std::string(), std::string("5242880"), "9" + token, token + "A", "0" + token}) {
    EXPECT_FALSE(DecodeRewriteToken(name, forged)) << forged;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
