// Changes of objects, and the times that clients may set.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/parse_time.h"
#include "base/time_format.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

constexpr auto kObject = "/storage/v1/b/bucket/o/a";

class ObjectPatchTest : public EmulatorTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(Call("POST", "/storage/v1/b", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=a", "content").status, 200);
  }

  RawResponse Call(const std::string& method, const std::string& target, const std::string& body = "") {
    return client_.Call(method, target, "", body);
  }
  json Answer(const std::string& method, const std::string& body) {
    const RawResponse response = Call(method, kObject, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body);
  }

 private:
  RawConnection client_{endpoint()};
};

TEST_F(ObjectPatchTest, SetsAndRemovesEveryField) {
  const json all = {{"contentType", "text/css"}, {"contentEncoding", "br"},    {"contentDisposition", "attachment"},
                    {"contentLanguage", "de"},   {"cacheControl", "no-store"}, {"metadata", {{"k", "v"}, {"l", ""}}}};
  const json set = Answer("PATCH", all.dump());
  json nothing = json::object();
  for (const auto& [name, value] : all.items()) {
    EXPECT_EQ(set.at(name), value) << name;
    nothing[name] = nullptr;
  }
  const json removed = Answer("PATCH", nothing.dump());
  for (const auto& [name, value] : all.items()) EXPECT_FALSE(removed.contains(name)) << name;
}

TEST_F(ObjectPatchTest, RefusesAStorageClass) {
  for (const char* method : {"PATCH", "PUT"}) {
    EXPECT_EQ(Answer(method, R"({"storageClass":"ARCHIVE"})").at("storageClass"), "STANDARD") << method;
  }
}

TEST_F(ObjectPatchTest, UpdateLeavesTheCustomTime) {
  Answer("PATCH", R"({"customTime":"2026-01-01T00:00:00Z","cacheControl":"no-store"})");
  const json updated = Answer("PUT", R"({"contentType":"text/css"})");
  EXPECT_EQ(updated.at("customTime"), "2026-01-01T00:00:00Z");
  EXPECT_FALSE(updated.contains("cacheControl"));
}

TEST_F(ObjectPatchTest, LimitsTheSumOfSmallPatches) {
  for (const char* key : {"k1", "k2"}) Answer("PATCH", json({{"metadata", {{key, std::string(4000, 'v')}}}}).dump());
  EXPECT_EQ(Call("PATCH", kObject, json({{"metadata", {{"k3", std::string(200, 'v')}}}}).dump()).status, 400);
  EXPECT_EQ(Answer("PATCH", json({{"metadata", {{"k3", std::string(186, 'v')}}}}).dump()).at("metadata").size(), 3U);
}

TEST_F(ObjectPatchTest, AllowsOnlyALaterCustomTime) {
  Answer("PATCH", R"({"customTime":"2026-01-01T00:00:00.5Z"})");
  for (const char* earlier : {R"("2026-01-01T00:00:00.4Z")", R"("2026-01-01T00:30:00+01:00")", "null"}) {
    EXPECT_EQ(Call("PATCH", kObject, R"({"customTime":)" + std::string(earlier) + "}").status, 400) << earlier;
  }
  EXPECT_EQ(Answer("PATCH", R"({"customTime":"2026-01-01T00:00:00.5Z"})").at("customTime"), "2026-01-01T00:00:00.500Z");
  EXPECT_EQ(Answer("PATCH", R"({"customTime":"2025-12-31T23:00:01-01:00"})").at("customTime"), "2026-01-01T00:00:01Z");
}

TEST(ParseRfc3339, AcceptsEveryForm) {
  struct Case {
    std::string text;
    std::string want;
  };
  for (const Case& c : {Case{"2026-11-20T06:25:00Z", "2026-11-20T06:25:00.000Z"},
                        Case{"2026-11-20t06:25:00.1234567z", "2026-11-20T06:25:00.123Z"},
                        Case{"2026-11-20T00:10:00+02:30", "2026-11-19T21:40:00.000Z"},
                        Case{"2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000Z"},
                        Case{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"},
                        Case{"1969-12-31T23:59:59.75Z", "1969-12-31T23:59:59.750Z"}}) {
    const std::optional<Time> time = ParseRfc3339(c.text);
    ASSERT_TRUE(time) << c.text;
    EXPECT_EQ(FormatRfc3339(*time), c.want);
  }
}

TEST(ParseRfc3339, RefusesOtherTexts) {
  for (const char* text :
       {"", "yesterday", "2026-11-20", "2026-11-20T06:25Z", "2026-11-20T06:25:00", "2026-11-20 06:25:00Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-20T24:00:00Z",
        "2026-11-20T06:60:00Z", "2026-11-20T06:25:00.Z", "2026-11-20T06:25:00.1234567890Z", "2026-11-20T06:25:00+2:00",
        "2026-11-20T06:25:00+02:60", "2026-11-20T06:25:00Zx", "-026-11-20T06:25:00Z", "9999-11-20T06:25:00Z"}) {
    EXPECT_FALSE(ParseRfc3339(text)) << text;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
