// The JSON API over HTTP.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

class JsonApiTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200); }

  json Put(const std::string& name, const std::string& content, const std::string& parameters = "") {
    const RawResponse response =
        client_.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name + parameters, "", content);
    return json::parse(response.body);
  }
  json GetJson(const std::string& target) { return json::parse(client_.Call("GET", target).body); }

  RawConnection client_{endpoint()};
};

std::vector<std::string> Names(const json& page) {
  std::vector<std::string> names;
  for (const json& item : page.value("items", json::array())) names.push_back(item.at("name"));
  return names;
}

TEST_F(JsonApiTest, CreatesAndListsBuckets) {
  ASSERT_EQ(client_.Call("POST", "/storage/v1/b?project=p", "", R"({"name":"another","location":"EU"})").status, 200);
  const json bucket = GetJson("/storage/v1/b/another");
  EXPECT_EQ(bucket.at("kind"), "storage#bucket");
  EXPECT_EQ(bucket.at("location"), "EU");
  EXPECT_EQ(bucket.at("storageClass"), "STANDARD");
  EXPECT_EQ(bucket.at("metageneration"), "1");
  EXPECT_THAT(Names(GetJson("/storage/v1/b?project=p")), ElementsAre("another", "bucket"));
  EXPECT_THAT(Names(GetJson("/storage/v1/b?prefix=b")), ElementsAre("bucket"));
  EXPECT_EQ(client_.Call("DELETE", "/storage/v1/b/another").status, 204);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/another").status, 404);
}

TEST_F(JsonApiTest, ListsBucketsInPages) {
  for (const char* name : {"b-1", "b-2", "b-3"}) {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":")" + std::string(name) + R"("})").status, 200);
  }
  const json first = GetJson("/storage/v1/b?prefix=b-&maxResults=2");
  EXPECT_THAT(Names(first), ElementsAre("b-1", "b-2"));
  const json second =
      GetJson("/storage/v1/b?prefix=b-&maxResults=2&pageToken=" + first.at("nextPageToken").get<std::string>());
  EXPECT_THAT(Names(second), ElementsAre("b-3"));
  EXPECT_FALSE(second.contains("nextPageToken"));
}

TEST_F(JsonApiTest, ShowsAllFieldsOfAnObject) {
  const json inserted = Put("a%2Fb", "hello");
  const json object = GetJson("/storage/v1/b/bucket/o/a%2Fb");
  EXPECT_EQ(object, inserted);
  EXPECT_EQ(object.at("kind"), "storage#object");
  EXPECT_EQ(object.at("name"), "a/b");
  EXPECT_EQ(object.at("bucket"), "bucket");
  EXPECT_EQ(object.at("size"), "5");
  EXPECT_EQ(object.at("crc32c"), "mnG7TA==");
  EXPECT_EQ(object.at("md5Hash"), "XUFAKrxLKna5cZ2REBfFkg==");
  EXPECT_EQ(object.at("metageneration"), "1");
  EXPECT_EQ(object.at("storageClass"), "STANDARD");
  EXPECT_EQ(object.at("contentType"), "application/octet-stream");
  const std::string generation = object.at("generation");
  EXPECT_EQ(object.at("id"), "bucket/a/b/" + generation);
  EXPECT_EQ(object.at("selfLink"), "http://emulator.test/storage/v1/b/bucket/o/a%2Fb");
  EXPECT_EQ(object.at("mediaLink"),
            "http://emulator.test/download/storage/v1/b/bucket/o/a%2Fb?generation=" + generation + "&alt=media");
}

TEST_F(JsonApiTest, DistinguishesSlashesInNamesAndPaths) {
  Put("a%2Fb", "slash");
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/a%2Fb?alt=media").body, "slash");
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/a/b?alt=media").status, 404);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/a%252Fb?alt=media").status, 404);
}

TEST_F(JsonApiTest, AcceptsEveryValidName) {
  for (const char* name :
       {"%20", "a%2F%2F..%2Fb", "%3F%23%25%26%2B", "%C3%A9%F0%9F%98%80", "%00", "%22%5C%07", "compose"}) {
    const std::string target = "/storage/v1/b/bucket/o/" + std::string(name);
    const json inserted = Put(name, name);
    EXPECT_EQ(GetJson(target).at("name"), inserted.at("name")) << name;
    EXPECT_EQ(client_.Call("GET", target + "?alt=media").body, name);
    EXPECT_EQ(client_.Call("DELETE", target).status, 204) << name;
    EXPECT_EQ(client_.Call("GET", target).status, 404) << name;
  }
}

TEST_F(JsonApiTest, DescribesMediaInHeaders) {
  const json object = Put("digits", "0123456789");
  for (const char* path : {"/storage/v1/b/bucket/o/digits?alt=media", "/download/storage/v1/b/bucket/o/digits"}) {
    const RawResponse response = client_.Call("GET", path, "Range: bytes=-3\r\n");
    EXPECT_EQ(response.status, 206) << path;
    EXPECT_EQ(response.body, "789") << path;
    EXPECT_EQ(response.Header("content-range"), "bytes 7-9/10");
    EXPECT_EQ(response.Header("x-goog-generation"), object.at("generation"));
    EXPECT_EQ(response.Header("x-goog-metageneration"), "1");
    EXPECT_EQ(response.Header("x-goog-stored-content-length"), "10");
    EXPECT_EQ(response.Header("x-goog-stored-content-encoding"), "identity");
    EXPECT_EQ(response.headers.count("x-goog-hash"), 1U);
    EXPECT_EQ(response.Header("x-goog-hash"),
              "crc32c=" + object.at("crc32c").get<std::string>() + ",md5=" + object.at("md5Hash").get<std::string>());
  }
}

TEST_F(JsonApiTest, ShowsTheMd5OfLargeMediaOnceItIsKnown) {
  const auto shows_md5 = [this](const std::string& name) {
    const RawResponse response = client_.Call("GET", "/download/storage/v1/b/bucket/o/" + name);
    return response.Header("x-goog-hash").find("md5=") != std::string::npos;
  };
  Put("small", "content", "&fields=name");
  Put("large", std::string(9 << 20, 'x'), "&fields=name");
  EXPECT_TRUE(shows_md5("small"));
  EXPECT_FALSE(shows_md5("large"));
  GetJson("/storage/v1/b/bucket/o/large?fields=md5Hash");
  EXPECT_TRUE(shows_md5("large"));
}

TEST_F(JsonApiTest, ReportsTheSizeForARangePastTheEnd) {
  Put("digits", "0123456789");
  const RawResponse response = client_.Call("GET", "/storage/v1/b/bucket/o/digits?alt=media", "Range: bytes=10-\r\n");
  EXPECT_EQ(response.status, 416);
  EXPECT_EQ(response.Header("content-range"), "bytes */10");
}

TEST_F(JsonApiTest, ReadsOnlyTheRequestedGeneration) {
  const std::string first = Put("o", "first").at("generation");
  const std::string second = Put("o", "second").at("generation");
  const std::string target = "/storage/v1/b/bucket/o/o?alt=media&generation=";
  EXPECT_EQ(client_.Call("GET", target + second).body, "second");
  EXPECT_EQ(client_.Call("GET", target + first).status, 404);
}

TEST_F(JsonApiTest, HonoursPreconditions) {
  const std::string generation = Put("o", "content").at("generation");
  const std::string object = "/storage/v1/b/bucket/o/o";
  const std::string upload = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o";
  struct Case {
    const char* method;
    std::string target;
    int status;
  };
  const std::vector<Case> cases = {
      {"GET", object + "?ifGenerationMatch=" + generation, 200},
      {"GET", object + "?ifGenerationMatch=1", 412},
      {"GET", object + "?ifGenerationNotMatch=" + generation, 304},
      {"GET", object + "?ifGenerationNotMatch=1", 200},
      {"GET", object + "?ifMetagenerationMatch=2", 412},
      {"GET", object + "?ifMetagenerationNotMatch=1", 304},
      {"POST", upload + "&ifGenerationMatch=0", 412},
      {"POST", upload + "&ifGenerationNotMatch=" + generation, 304},
      {"POST", upload + "x&ifGenerationMatch=1", 412},
      {"POST", upload + "x&ifGenerationNotMatch=0", 304},
      {"DELETE", object + "?ifGenerationMatch=1", 412},
      {"DELETE", object + "?ifMetagenerationMatch=2", 412},
      {"GET", object + "x?ifGenerationMatch=1", 404},
      {"GET", object + "?ifGenerationMatch=abc", 400},
      {"DELETE", object + "?ifGenerationMatch=" + generation, 204},
      {"POST", upload + "&ifGenerationMatch=0", 200},
  };
  for (const Case& c : cases)
    EXPECT_EQ(client_.Call(c.method, c.target).status, c.status) << c.method << " " << c.target;
}

TEST_F(JsonApiTest, ListsInPages) {
  for (const char* name : {"a", "b%2F1", "b%2F2", "c", "d%2F1"}) Put(name, "x");
  const std::string target = "/storage/v1/b/bucket/o?delimiter=%2F&maxResults=2";
  const json first = GetJson(target);
  EXPECT_THAT(Names(first), ElementsAre("a"));
  EXPECT_THAT(first.at("prefixes"), ElementsAre("b/"));
  const json second = GetJson(target + "&pageToken=" + first.at("nextPageToken").get<std::string>());
  EXPECT_THAT(Names(second), ElementsAre("c"));
  EXPECT_THAT(second.at("prefixes"), ElementsAre("d/"));
  EXPECT_FALSE(second.contains("nextPageToken"));
}

TEST_F(JsonApiTest, SendsOnlyTheRequestedFields) {
  Put("a", "xyz");
  EXPECT_EQ(GetJson("/storage/v1/b/bucket/o?fields=items(name,size),nextPageToken"),
            json::parse(R"({"items":[{"name":"a","size":"3"}]})"));
  EXPECT_EQ(GetJson("/storage/v1/b/bucket/o/a?fields=size"), json::parse(R"({"size":"3"})"));
  EXPECT_EQ(GetJson("/storage/v1/b/bucket?fields=name"), json::parse(R"({"name":"bucket"})"));
}

TEST_F(JsonApiTest, ComposesObjects) {
  Put("one", "1");
  const std::string generation = Put("two", "22").at("generation");
  const std::string target = "/storage/v1/b/bucket/o/all/compose";
  const RawResponse response = client_.Call("POST", target, "",
                                            R"({
      "sourceObjects": [{"name": "two", "generation": ")" +
                                                generation + R"("}, {"name": "one"}, {"name": "two"}],
      "destination": {"contentType": "a/b", "metadata": {"k": "v"}}})");
  ASSERT_EQ(response.status, 200) << response.body;
  const json composed = json::parse(response.body);
  EXPECT_EQ(composed.at("componentCount"), 3);
  EXPECT_EQ(composed.at("contentType"), "a/b");
  EXPECT_EQ(composed.at("metadata").at("k"), "v");
  EXPECT_FALSE(composed.contains("md5Hash"));
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/all?alt=media").body, "22122");
  EXPECT_EQ(composed.at("crc32c"), Put("same", "22122").at("crc32c"));
}

TEST_F(JsonApiTest, RefusesInvalidComposes) {
  Put("one", "1");
  std::string many = R"({"sourceObjects":[{"name":"one"})";
  for (int i = 0; i < 31; ++i) many += R"(,{"name":"one"})";
  struct Case {
    std::string parameters;
    std::string body;
    int status;
  };
  const std::vector<Case> cases = {
      {"", many + "]}", 200},
      {"", many + R"(,{"name":"one"}]})", 400},
      {"", R"({"sourceObjects":[]})", 400},
      {"", R"({})", 400},
      {"", R"({"sourceObjects":[{"name":"none"}]})", 404},
      {"", R"({"sourceObjects":[{"name":"one","generation":"1"}]})", 404},
      {"", R"({"sourceObjects":[{"name":"one","objectPreconditions":{"ifGenerationMatch":"1"}}]})", 412},
      {"?ifGenerationMatch=0", R"({"sourceObjects":[{"name":"one"}]})", 412},
      {"", R"({"sourceObjects":[{"name":1}]})", 400},
      {"", R"({"sourceObjects":["one"]})", 400},
      {"", R"({"sourceObjects":[{"name":"one","generation":"x"}]})", 400},
      {"", R"({"sourceObjects":[{"name":"one"}],"destination":7})", 400},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(client_.Call("POST", "/storage/v1/b/bucket/o/all/compose" + c.parameters, "", c.body).status, c.status)
        << c.parameters << " " << c.body;
  }
}

TEST_F(JsonApiTest, DeletesSourcesIfAsked) {
  Put("one", "1");
  Put("all", "0");
  const auto body = R"({"sourceObjects":[{"name":"all"},{"name":"one"}],"deleteSourceObjects":true})";
  ASSERT_EQ(client_.Call("POST", "/storage/v1/b/bucket/o/all/compose", "", body).status, 200);
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/all?alt=media").body, "01");
  EXPECT_EQ(client_.Call("GET", "/storage/v1/b/bucket/o/one").status, 404);
}

TEST_F(JsonApiTest, PatchesMetadata) {
  Put("o", "content");
  const std::string target = "/storage/v1/b/bucket/o/o";
  ASSERT_EQ(client_.Call("PATCH", target, "", R"({"contentType":"a/b","metadata":{"x":"1","y":"2"}})").status, 200);
  const RawResponse response = client_.Call("PATCH", target + "?ifMetagenerationMatch=2", "",
                                            R"({"cacheControl":"no-store","metadata":{"x":null,"z":"3"}})");
  ASSERT_EQ(response.status, 200);
  const json object = json::parse(response.body);
  EXPECT_EQ(object.at("metageneration"), "3");
  EXPECT_EQ(object.at("contentType"), "a/b");
  EXPECT_EQ(object.at("cacheControl"), "no-store");
  EXPECT_EQ(object.at("metadata"), json::parse(R"({"y":"2","z":"3"})"));
  EXPECT_EQ(client_.Call("PATCH", target, "", R"({"metadata":{"x":1}})").status, 400);
  EXPECT_EQ(client_.Call("PATCH", target + "?ifMetagenerationMatch=2", "", "{}").status, 412);
}

struct ErrorCase {
  const char* method;
  std::string target;
  std::string body;
  int status;
  const char* reason;
};

TEST_F(JsonApiTest, ReportsErrorsInTheFormOfGcs) {
  Put("o", "content");
  const std::string upload = "/upload/storage/v1/b/bucket/o?uploadType=";
  const std::vector<ErrorCase> cases = {
      {"GET", "/storage/v1/b/none", "", 404, "notFound"},
      {"GET", "/storage/v1/b/none/o", "", 404, "notFound"},
      {"GET", "/storage/v1/b/bucket/o/none", "", 404, "notFound"},
      {"DELETE", "/storage/v1/b/none", "", 404, "notFound"},
      {"DELETE", "/storage/v1/b/bucket", "", 409, "conflict"},
      {"POST", "/storage/v1/b", R"({"name":"bucket"})", 409, "conflict"},
      {"POST", "/storage/v1/b", R"({"name":"B"})", 400, "invalid"},
      {"POST", "/storage/v1/b", R"({})", 400, "required"},
      {"POST", "/storage/v1/b", R"({"name":)", 400, "parseError"},
      {"POST", "/storage/v1/b", R"(["name"])", 400, "parseError"},
      {"POST", "/storage/v1/b", R"({"name":5})", 400, "invalid"},
      {"POST", "/storage/v1/b", "{\"name\":\"\xFF\"}", 400, "parseError"},
      {"POST", upload + "media", "x", 400, "required"},
      {"POST", upload + "media&name=", "x", 400, "invalid"},
      {"POST", upload + "media&name=" + std::string(1025, 'n'), "x", 400, "invalid"},
      {"POST", upload + "media&name=a%0Ab", "x", 400, "invalid"},
      {"POST", upload + "media&name=%FF", "x", 400, "invalid"},
      {"POST", upload + "media&name=%4", "x", 400, "invalid"},
      {"POST", upload + "telepathy&name=x", "x", 400, "invalidParameter"},
      {"POST", upload + "multipart&name=x", "x", 400, "invalid"},
      {"PUT", upload + "resumable", "x", 400, "required"},
      {"PUT", upload + "resumable&upload_id=none", "x", 404, "notFound"},
      {"DELETE", upload + "resumable&upload_id=none", "", 404, "notFound"},
      {"GET", "/storage/v1/b/bucket/o?pageToken=!", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b?pageToken=!", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b/bucket/o?maxResults=0", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b/bucket/o?maxResults=x", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b/bucket/o?prefix=%FF", "", 400, "invalid"},
      {"GET", "/storage/v1/b/bucket/o?fields=items(", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b/bucket/o/o?generation=x", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b/bucket/o/o?generation=99999999999999999999", "", 400, "invalidParameter"},
      {"GET", "/storage/v1/b/bucket/o/o?ifGenerationMatch=1", "", 412, "conditionNotMet"},
      {"GET", "/storage/v1/nowhere", "", 404, "notFound"},
      {"POST", "/storage/v1/b/bucket", "{}", 405, "methodNotAllowed"},
  };
  for (const ErrorCase& c : cases) {
    const RawResponse response = client_.Call(c.method, c.target, "", c.body);
    EXPECT_EQ(response.status, c.status) << c.method << " " << c.target << " " << c.body;
    const json error = json::parse(response.body, nullptr, false).value("error", json::object());
    EXPECT_EQ(error.value("code", 0), c.status) << c.target << " " << response.body;
    EXPECT_FALSE(error.value("message", "").empty()) << c.target;
    ASSERT_EQ(error.value("errors", json::array()).size(), 1U) << c.target;
    EXPECT_EQ(error.at("errors").at(0).value("reason", ""), c.reason) << c.target;
    EXPECT_EQ(error.at("errors").at(0).value("domain", ""), "global") << c.target;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
