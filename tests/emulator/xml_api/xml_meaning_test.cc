// Parameters and conditions of the XML API: each is honoured or refused, and none is ignored.

#include <string>

#include "emulator/xml_api/xml_test.h"

namespace gcsflux::emulator {
namespace {

class XmlMeaningTest : public XmlTest {
 protected:
  void SetUp() override {
    XmlTest::SetUp();
    ASSERT_EQ(Call("PUT", "/bucket/o", "", "hello").status, 200);
  }
  std::string Read() { return Call("GET", "/bucket/o").body; }
};

TEST_F(XmlMeaningTest, RefusesUnknownParameters) {
  ASSERT_EQ(Call("PUT", "/empty").status, 200);
  const struct {
    const char* method;
    const char* target;
  } kCases[] = {
      {"DELETE", "/empty?policy"},
      {"DELETE", "/empty?publicAccessBlock"},
      {"DELETE", "/empty?prefix=a"},
      {"PUT", "/new-bucket?policy"},
      {"HEAD", "/bucket?policy"},
      {"GET", "/bucket?policyStatus"},
      {"GET", "/?max-buckets=1"},
      {"PUT", "/bucket/o?legal-hold"},
      {"PUT", "/bucket/o?tagging"},
      {"PUT", "/bucket/o?generation=7"},
      {"GET", "/bucket/o?attributes"},
      {"GET", "/bucket/o?torrent"},
      {"HEAD", "/bucket/o?attributes"},
      {"DELETE", "/bucket/o?tagging"},
      {"POST", "/bucket/o?select&select-type=2"},
      {"POST", "/bucket/o?restore"},
      {"POST", "/bucket?delete&prefix=a"},
      {"PUT", "/bucket/o?uploads&uploadId=7"},
  };
  for (const auto& c : kCases) {
    const std::string want = std::string(c.method) == "HEAD" ? "501" : "501 NotImplemented";
    EXPECT_EQ(Outcome(c.method, c.target, "", "other"), want) << c.method << " " << c.target;
  }
  EXPECT_EQ(Outcome("HEAD", "/empty"), "200");
  EXPECT_EQ(Outcome("HEAD", "/new-bucket"), "404");
  EXPECT_EQ(Read(), "hello");
}

TEST_F(XmlMeaningTest, AcceptsParametersOfAnyRequest) {
  EXPECT_EQ(Outcome("PUT", "/bucket/p?x-id=PutObject", "", "hello"), "200");
  EXPECT_EQ(Outcome("GET", "/bucket/p?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=0&X-Amz-Expires=9"), "200");
  EXPECT_EQ(Outcome("GET", "/bucket/p?GoogleAccessId=a&Expires=1&Signature=b&userProject=c"), "200");
  EXPECT_EQ(Outcome("GET", "/bucket?list-type=2&fetch-owner=true&encoding-type=url&x-id=ListObjectsV2"), "200");
}

TEST_F(XmlMeaningTest, AcceptsAVersionIdAsGeneration) {
  ASSERT_EQ(Call("PUT", "/bucket?versioning", "",
                 "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")
                .status,
            200);
  const std::string first = Call("HEAD", "/bucket/o").Header("x-goog-generation");
  const std::string second = Call("PUT", "/bucket/o", "", "second").Header("x-goog-generation");
  EXPECT_EQ(Call("GET", "/bucket/o?versionId=" + first).body, "hello");
  EXPECT_EQ(Call("HEAD", "/bucket/o?versionId=" + first).Header("x-goog-generation"), first);
  EXPECT_EQ(Call("GET", "/bucket/o?generation=" + first + "&versionId=" + first).body, "hello");
  EXPECT_EQ(Outcome("GET", "/bucket/o?generation=" + first + "&versionId=" + second), "400 InvalidArgument");
  EXPECT_EQ(Outcome("GET", "/bucket/o?versionId=null"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("DELETE", "/bucket/o?versionId="), "400 InvalidArgument");
  EXPECT_EQ(Outcome("DELETE", "/bucket/o?versionId=1"), "404 NoSuchKey");

  const auto copy = [&](const std::string& query, const std::string& headers = "") {
    return Outcome("PUT", "/bucket/copy", "x-amz-copy-source: bucket/o" + query + "\r\n" + headers);
  };
  EXPECT_EQ(copy("?versionId=" + first), "200");
  EXPECT_EQ(Call("GET", "/bucket/copy").body, "hello");
  EXPECT_EQ(copy("?versionId=1"), "404 NoSuchKey");
  EXPECT_EQ(copy("?versionId=" + first, "x-goog-copy-source-generation: " + second + "\r\n"), "400 InvalidArgument");
  EXPECT_EQ(copy("?other=1"), "400 InvalidArgument");

  EXPECT_EQ(Outcome("DELETE", "/bucket/o?versionId=" + first), "204");
  EXPECT_EQ(Outcome("GET", "/bucket/o?generation=" + first), "404 NoSuchKey");
  EXPECT_EQ(Read(), "second");
}

TEST_F(XmlMeaningTest, RefusesUnsupportedConditions) {
  const std::string kDelete = "<Delete><Object><Key>o</Key></Object></Delete>";
  for (const char* header :
       {"If-None-Match: *", "If-Match: \"other\"", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
        "x-goog-if-generation-not-match: 1", "x-amz-if-match-size: 1"}) {
    const std::string headers = std::string(header) + "\r\n";
    EXPECT_EQ(Outcome("PUT", "/bucket/o", headers, "other"), "501 NotImplemented") << header;
    EXPECT_EQ(Outcome("PUT", "/bucket/o", headers + "x-goog-copy-source: bucket/o\r\n"), "501 NotImplemented");
    EXPECT_EQ(Outcome("POST", "/bucket/o?uploads", headers), "501 NotImplemented") << header;
    EXPECT_EQ(Outcome("DELETE", "/bucket/o", headers), "501 NotImplemented") << header;
    EXPECT_EQ(Outcome("POST", "/bucket?delete", headers, kDelete), "501 NotImplemented") << header;
  }
  const std::string generation = "x-goog-if-generation-match: 1\r\n";
  EXPECT_EQ(Outcome("POST", "/bucket?delete", generation, kDelete), "400 InvalidArgument");
  EXPECT_EQ(Outcome("DELETE", "/bucket", generation), "400 InvalidArgument");
  EXPECT_EQ(Outcome("PUT", "/new-bucket", generation), "400 InvalidArgument");
  EXPECT_EQ(Read(), "hello");
}

TEST_F(XmlMeaningTest, ChecksTheConditionsOfBuckets) {
  ASSERT_EQ(Call("PUT", "/empty").status, 200);
  const std::string kOn = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  const auto with = [](int metageneration) {
    return "x-goog-if-metageneration-match: " + std::to_string(metageneration) + "\r\n";
  };
  EXPECT_EQ(Outcome("PUT", "/empty?versioning", with(2), kOn), "412 PreconditionFailed");
  EXPECT_EQ(Outcome("PUT", "/empty?versioning", with(1), kOn), "200");
  EXPECT_EQ(Outcome("DELETE", "/empty", with(1)), "412 PreconditionFailed");
  EXPECT_EQ(Outcome("DELETE", "/empty", with(2)), "204");
}

TEST_F(XmlMeaningTest, RefusesTheSameHeadersInTheJsonApi) {
  constexpr auto kObject = "/storage/v1/b/bucket/o/o";
  constexpr auto kInsert = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o";
  for (const char* header : {"If-None-Match: *\r\n", "If-Match: other\r\n", "x-goog-if-generation-match: 0\r\n",
                             "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n"}) {
    EXPECT_EQ(Call("POST", kInsert, header, "other").status, 501) << header;
    EXPECT_EQ(Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=o", header).status, 501) << header;
    EXPECT_EQ(Call("PATCH", kObject, header, R"({"contentType":"text/css"})").status, 501) << header;
    EXPECT_EQ(Call("POST", std::string(kObject) + "/copyTo/b/bucket/o/copy", header).status, 501) << header;
    EXPECT_EQ(Call("POST", std::string(kObject) + "/compose", header, R"({"sourceObjects":[{"name":"o"}]})").status,
              501);
    EXPECT_EQ(Call("DELETE", kObject, header).status, 501) << header;
    EXPECT_EQ(Call("DELETE", "/storage/v1/b/bucket", header).status, 501) << header;
  }
  for (const char* name : {"ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch"}) {
    EXPECT_EQ(Call("POST", kInsert + ("&" + std::string(name)) + "=", "", "other").status, 400) << name;
    EXPECT_EQ(Call("POST", kInsert + ("&" + std::string(name)), "", "other").status, 400) << name;
    EXPECT_EQ(Call("DELETE", kObject + ("?" + std::string(name)) + "=").status, 400) << name;
  }
  EXPECT_EQ(Call("DELETE", std::string(kObject) + "?generation=").status, 400);
  EXPECT_EQ(Call("POST", std::string(kObject) + "/copyTo/b/bucket/o/c?ifSourceGenerationMatch=").status, 400);
  const RawResponse got = Call("GET", kObject);
  EXPECT_NE(got.body.find("\"size\":\"5\""), std::string::npos) << got.body;
  EXPECT_NE(got.body.find("\"metageneration\":\"1\""), std::string::npos) << got.body;
}

TEST_F(XmlMeaningTest, RefusesAConditionThatOccursTwice) {
  const std::string generation = Call("HEAD", "/bucket/o").Header("x-goog-generation");
  const std::string header = "x-goog-if-generation-match: " + generation + "\r\n";
  EXPECT_EQ(Outcome("PUT", "/bucket/o", header + "x-goog-if-generation-match: 1\r\n", "other"), "400 InvalidArgument");
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=o&ifGenerationMatch=" + generation;
  EXPECT_EQ(Call("POST", target + "&ifGenerationMatch=1", "", "other").status, 400);
  EXPECT_EQ(Call("PATCH", "/storage/v1/b/bucket?ifGenerationMatch=1", "", "{}").status, 400) << "it has none";
  EXPECT_EQ(Read(), "hello");
}

TEST_F(XmlMeaningTest, ServesARangeOfTheMatchingState) {
  for (const std::string target : {"/bucket/o", "/storage/v1/b/bucket/o/o?alt=media"}) {
    const std::string range = "Range: bytes=1-2\r\nIf-Range: ";
    const std::string etag = Call("GET", target).Header("etag");
    EXPECT_EQ(Call("GET", target, range + etag + "\r\n").body, "el");
    for (const char* other : {"\"other\"", "Thu, 01 Jan 1970 00:00:00 GMT"}) {
      const RawResponse whole = Call("GET", target, range + other + "\r\n");
      EXPECT_EQ(whole.status, 200) << other;
      EXPECT_EQ(whole.body, "hello") << other;
    }
  }
}

}  // namespace
}  // namespace gcsflux::emulator
