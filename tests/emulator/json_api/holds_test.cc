// Holds, over both APIs.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

class HoldsTest : public EmulatorTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bkt"})").status, 200);
    ASSERT_EQ(Upload("a").status, 200);
  }

  RawResponse Upload(const std::string& name) {
    return client_.Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=" + name, "", "content");
  }
  RawResponse Patch(const std::string& body) { return client_.Call("PATCH", "/storage/v1/b/bkt/o/a", "", body); }

  RawConnection client_{endpoint()};
};

TEST_F(HoldsTest, AreNamedInTheRefusal) {
  struct Case {
    const char* hold;
    const char* word;
  };
  for (const Case& c : {Case{"temporaryHold", "Temporary"}, Case{"eventBasedHold", "Event-Based"}}) {
    ASSERT_EQ(Patch(json{{c.hold, true}}.dump()).status, 200) << c.hold;
    const RawResponse refused = client_.Call("DELETE", "/storage/v1/b/bkt/o/a");
    EXPECT_EQ(refused.status, 403) << c.hold;
    const json error = json::parse(refused.body).at("error");
    EXPECT_EQ(error.at("errors").at(0).at("reason"), "objectUnderActiveHold") << c.hold;
    EXPECT_EQ(error.at("message"), std::string("Object 'bkt/a' is under active ") + c.word +
                                       " hold and cannot be deleted, overwritten or archived until hold is removed.");
    ASSERT_EQ(Patch(json{{c.hold, nullptr}}.dump()).status, 200) << c.hold;
  }
  EXPECT_EQ(client_.Call("DELETE", "/storage/v1/b/bkt/o/a").status, 204);
}

TEST_F(HoldsTest, AreBooleans) {
  EXPECT_EQ(Patch(R"({"temporaryHold":"yes"})").status, 400);
  EXPECT_FALSE(json::parse(client_.Call("GET", "/storage/v1/b/bkt/o/a").body).contains("temporaryHold"));
}

TEST_F(HoldsTest, KeepVersionedObjectsLive) {
  ASSERT_EQ(client_.Call("PATCH", "/storage/v1/b/bkt", "", R"({"versioning":{"enabled":true}})").status, 200);
  ASSERT_EQ(Patch(R"({"temporaryHold":true})").status, 200);
  EXPECT_EQ(client_.Call("DELETE", "/storage/v1/b/bkt/o/a").status, 403);
  EXPECT_EQ(Upload("a").status, 403);
}

TEST_F(HoldsTest, KeepSourcesOfADeletingCompose) {
  ASSERT_EQ(Patch(R"({"temporaryHold":true})").status, 200);
  const std::string body = R"({"sourceObjects":[{"name":"a"}],"deleteSourceObjects":true})";
  EXPECT_EQ(client_.Call("POST", "/storage/v1/b/bkt/o/b/compose", "", body).status, 403);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bkt/o/a").status, 200);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bkt/o/b").status, 404);
}

TEST_F(HoldsTest, AreNotCopiedByTheXmlApi) {
  ASSERT_EQ(Patch(R"({"temporaryHold":true})").status, 200);
  ASSERT_EQ(client_.Call("PUT", "/bkt/copy", "x-goog-copy-source: /bkt/a\r\n").status, 200);
  EXPECT_EQ(client_.Call("DELETE", "/bkt/copy").status, 204);
  EXPECT_EQ(client_.Call("DELETE", "/bkt/a").status, 403);
}

TEST_F(HoldsTest, FollowTheBucketsDefaultForNewObjects) {
  ASSERT_EQ(client_.Call("PATCH", "/storage/v1/b/bkt", "", R"({"defaultEventBasedHold":true})").status, 200);
  ASSERT_EQ(client_.Call("PUT", "/bkt/xml", "", "content").status, 200);
  ASSERT_EQ(client_.Call("PUT", "/bkt/copy", "x-goog-copy-source: /bkt/a\r\n").status, 200);
  for (const std::string name : {"xml", "copy"}) {
    const json object = json::parse(client_.Call("GET", "/storage/v1/b/bkt/o/" + name).body);
    EXPECT_EQ(object.value("eventBasedHold", false), true) << name;
  }
  EXPECT_FALSE(json::parse(client_.Call("GET", "/storage/v1/b/bkt/o/a").body).contains("eventBasedHold"));
}

}  // namespace
}  // namespace gcsflux::emulator
