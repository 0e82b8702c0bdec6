#include "case/match_response.h"

#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

const Response kResponse = {
    .status = 206,
    .headers = {{"Content-Range", "bytes 0-4/10"}, {"x-goog-hash", "crc32c=abc="}, {"X-Goog-Hash", "md5=def="}},
    .body = R"({"name": "a"})"};

std::string Mismatch(const Expectation& want) { return FindMismatch(want, kResponse).value_or("matches"); }

TEST(FindMismatch, AcceptsAnyListedStatus) {
  EXPECT_EQ(Mismatch({.status = {200, 206}}), "matches");
  EXPECT_EQ(Mismatch({.status = {200, 404}}), "status: wanted 200 or 404, got 206");
}

TEST(FindMismatch, IgnoresTheCaseOfHeaders) {
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"content-range", "bytes 0-4/10"}}}), "matches");
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"content-range", "bytes 0-5/10"}}}),
            R"(header content-range: wanted "bytes 0-5/10", got "bytes 0-4/10")");
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"Location", Json{{"$absent", true}}}}}), "matches");
}

TEST(FindMismatch, JoinsRepeatedHeaders) {
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"X-Goog-Hash", "crc32c=abc=, md5=def="}}}), "matches");
}

TEST(FindMismatch, ComparesBodiesAsJsonOrBytes) {
  EXPECT_EQ(Mismatch({.status = {206}, .json = Json{{"name", "a"}}}), "matches");
  EXPECT_EQ(Mismatch({.status = {206}, .json = Json{{"name", "b"}}}), R"(json /name: wanted "b", got "a")");
  EXPECT_EQ(Mismatch({.status = {206}, .body = Json(R"({"name": "a"})")}), "matches");
  EXPECT_EQ(Mismatch({.status = {206}, .body = Json("")}), R"(body: wanted "", got "{\"name\": \"a\"}")");
}

TEST(FindMismatch, ReportsABodyThatIsNotJson) {
  EXPECT_EQ(FindMismatch({.status = {200}, .json = Json::object()}, {.status = 200, .body = "<html>"}),
            "json: the body is not JSON");
}

TEST(FindMismatch, ReadsPastAZeroByte) {
  using std::string_literals::operator""s;
  EXPECT_EQ(FindMismatch({.status = {200}, .json = Json::object()}, {.status = 200, .body = "{}\0 and more"s}),
            "json: the body is not JSON");
  EXPECT_EQ(FindMismatch({.status = {200}, .xml = {{"/a", "b"}}}, {.status = 200, .body = "<a>b</a>\0<c/>"s}),
            "xml /a: the body is not XML: it holds a zero byte");
}

TEST(FindMismatch, ComparesXmlByXPath) {
  const Response listing = {.status = 200,
                            .body =
                                "<?xml version='1.0' encoding='UTF-8'?><List xmlns='http://doc.s3.amazonaws.com/'>"
                                "<Name>b</Name><C><Key>a&amp;b</Key></C><C><Key> </Key></C></List>"};
  const auto mismatch = [&](const std::string& expression, const Json& wanted) {
    return FindMismatch({.status = {200}, .xml = {{expression, wanted}}}, listing).value_or("matches");
  };
  EXPECT_EQ(mismatch("/List/Name", "b"), "matches");
  EXPECT_EQ(mismatch("/List/C/Key", Json{"a&b", " "}), "matches");
  EXPECT_EQ(mismatch("/List/Name", Json{"b"}), "matches");
  EXPECT_EQ(mismatch("/List/None", Json{{"$absent", true}}), "matches");
  EXPECT_EQ(mismatch("/List/None", Json::array()), "matches");
  EXPECT_EQ(mismatch("count(//Key)", "2"), "matches");
  EXPECT_EQ(mismatch("namespace-uri(/List)", Json{{"$starts_with", "http://doc.s3"}}), "matches");
  EXPECT_EQ(mismatch("/List/Name", "c"), R"(xml /List/Name: wanted "c", got "b")");
  EXPECT_EQ(mismatch("/List/None", "c"), R"(xml /List/None: wanted "c", got nothing)");
  EXPECT_EQ(mismatch("/List/C/Key", "a&b"), R"(xml /List/C/Key: wanted one node, got ["a&b"," "])");
  EXPECT_EQ(mismatch("/List/C/Key", Json{"a&b"}), R"(xml /List/C/Key: wanted ["a&b"], got ["a&b"," "])");
}

TEST(FindMismatch, ReportsABodyThatIsNotXml) {
  for (const char* body : {"", "{}", "<a><b></a>"}) {
    const auto mismatch = FindMismatch({.status = {200}, .xml = {{"/a", "b"}}}, {.status = 200, .body = body});
    EXPECT_EQ(mismatch.value_or("matches").substr(0, 27), "xml /a: the body is not XML") << body;
  }
}

TEST(FindMismatch, ReportsTheFirstDifferenceOfGeneratedBytes) {
  const GeneratedBytes bytes = {.size = 100, .seed = 7};
  Response response = {.status = 200, .body = Generate(bytes)};
  const Expectation want = {.status = {200}, .body = bytes};
  EXPECT_FALSE(FindMismatch(want, response));
  response.body[42] ^= 1;
  EXPECT_EQ(FindMismatch(want, response),
            "body: wanted 100 bytes of seed 7, got 100 bytes that differ from byte 42 on");
  response.body.resize(99);
  EXPECT_EQ(FindMismatch(want, response), "body: wanted 100 bytes of seed 7, got 99 bytes");
}

}  // namespace
}  // namespace gcsflux::conformance
