#include "http/target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json_api/field_mask.h"
#include "json_api/router.h"

namespace gcsflux::emulator {
namespace {

TEST(ParseTarget, SplitsBeforeItDecodes) {
  struct Case {
    const char* raw;
    std::vector<std::string> segments;
  };
  const std::vector<Case> cases = {
      {"/", {""}},
      {"/storage/v1/b", {"storage", "v1", "b"}},
      {"/b/a%2Fb", {"b", "a/b"}},
      {"/b/a%2fb%3Fc%23d%25", {"b", "a/b?c#d%"}},
      {"/b//c/", {"b", "", "c", ""}},
      {"/b/a+b", {"b", "a+b"}},
      {"http://host:1/b/c?d", {"b", "c"}},
      {"http://host", {""}},
  };
  for (const Case& c : cases) {
    const auto target = ParseTarget(c.raw);
    ASSERT_TRUE(target) << c.raw;
    EXPECT_EQ(target->segments, c.segments) << c.raw;
  }
}

TEST(ParseTarget, DecodesTheQueryAsForms) {
  const auto target = ParseTarget("/?prefix=a%2Fb+c&empty=&flag&prefix=second&x=1=2&&q=a?b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->query.Value("prefix"), "a/b c");
  EXPECT_EQ(target->query.Optional("empty"), "");
  EXPECT_EQ(target->query.Optional("flag"), "");
  EXPECT_EQ(target->query.Optional("none"), std::nullopt);
  EXPECT_EQ(target->query.Value("x"), "1=2");
  EXPECT_EQ(target->query.Value("q"), "a?b");
}

TEST(ParseTarget, RefusesWhatDoesNotDecode) {
  for (const char* raw : {"/b/%", "/b/%4", "/b/%zz", "/b/%FF", "/b/%C3", "/?a=%", "/?%GG=1", "/?a=%ED%A0%80"}) {
    const auto target = ParseTarget(raw);
    ASSERT_FALSE(target) << raw;
    EXPECT_EQ(target.error().status, 400) << raw;
  }
}

TEST(EncodeSegment, IsUndoneByParseTarget) {
  const std::string text = "a/b?c#d%e f+g&\xC3\xA9\x01~_-.";
  const auto target = ParseTarget("/" + EncodeSegment(text));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, std::vector<std::string>{text});
}

TEST(FindRoute, TellsOperationsApart) {
  struct Case {
    const char* method;
    const char* raw;
    Operation operation;
    const char* object;
  };
  const std::vector<Case> cases = {
      {"GET", "/storage/v1/b", Operation::kListBuckets, ""},
      {"POST", "/storage/v1/b", Operation::kInsertBucket, ""},
      {"GET", "/storage/v1/b/k", Operation::kGetBucket, ""},
      {"DELETE", "/storage/v1/b/k", Operation::kDeleteBucket, ""},
      {"GET", "/storage/v1/b/k/o", Operation::kListObjects, ""},
      {"GET", "/storage/v1/b/k/o/a%2Fb", Operation::kGetObject, "a/b"},
      {"HEAD", "/storage/v1/b/k/o/a%2Fb", Operation::kGetObject, "a/b"},
      {"GET", "/download/storage/v1/b/k/o/n", Operation::kDownloadObject, "n"},
      {"DELETE", "/storage/v1/b/k/o/n%2Fcompose", Operation::kDeleteObject, "n/compose"},
      {"POST", "/storage/v1/b/k/o/n/compose", Operation::kComposeObject, "n"},
      {"PATCH", "/storage/v1/b/k/o/n", Operation::kPatchObject, "n"},
      {"POST", "/upload/storage/v1/b/k/o?uploadType=media", Operation::kInsertObject, ""},
      {"PUT", "/upload/storage/v1/b/k/o?upload_id=1", Operation::kUploadChunk, ""},
      {"DELETE", "/upload/storage/v1/b/k/o?upload_id=1", Operation::kCancelUpload, ""},
  };
  for (const Case& c : cases) {
    const auto route = FindRoute(c.method, ParseTarget(c.raw)->segments);
    ASSERT_TRUE(route) << c.method << " " << c.raw;
    EXPECT_EQ(route->operation, c.operation) << c.method << " " << c.raw;
    EXPECT_EQ(route->object, c.object) << c.method << " " << c.raw;
  }
}

TEST(FindRoute, RefusesWhatItDoesNotHave) {
  struct Case {
    const char* method;
    const char* raw;
    int status;
  };
  const std::vector<Case> cases = {
      {"GET", "/", 404},
      {"GET", "/storage/v1/b/k/o/a/b", 404},
      {"GET", "/storage/v1/b/k/", 404},
      {"GET", "/storage/v2/b", 404},
      {"PUT", "/storage/v1/b", 405},
      {"POST", "/storage/v1/b/k/o/n", 405},
      {"GET", "/storage/v1/b/k/o/n/compose", 405},
  };
  for (const Case& c : cases) {
    const auto route = FindRoute(c.method, ParseTarget(c.raw)->segments);
    ASSERT_FALSE(route) << c.method << " " << c.raw;
    EXPECT_EQ(route.error().status, c.status) << c.method << " " << c.raw;
  }
}

TEST(FieldMask, SelectsWhatIsNamed) {
  const auto mask = FieldMask::Parse("nextPageToken,items(name,metadata/key),prefixes,items/size,kind/*");
  ASSERT_TRUE(mask);
  EXPECT_TRUE(mask->Includes("nextPageToken"));
  EXPECT_FALSE(mask->Includes("selfLink"));
  EXPECT_TRUE(mask->Inside("items").Includes("name"));
  EXPECT_TRUE(mask->Inside("items").Includes("size"));
  EXPECT_FALSE(mask->Inside("items").Includes("md5Hash"));
  EXPECT_TRUE(mask->Inside("kind").Includes("anything"));
}

TEST(FieldMask, TakesAWholeFieldOverItsParts) {
  for (const char* text : {"items,items(name)", "items(name),items", "*", "items/*"}) {
    const auto mask = FieldMask::Parse(text);
    ASSERT_TRUE(mask) << text;
    EXPECT_TRUE(mask->Inside("items").Includes("size")) << text;
  }
}

TEST(FieldMask, RefusesWhatIsMalformed) {
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
