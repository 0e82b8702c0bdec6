#include "match_response.h"

#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

const Response kResponse = {
    .status = 206,
    .headers = {{"Content-Range", "bytes 0-4/10"}, {"x-goog-hash", "crc32c=abc="}, {"X-Goog-Hash", "md5=def="}},
    .body = R"({"name": "a"})"};

std::string Mismatch(const Expectation& want) { return FindMismatch(want, kResponse).value_or("matches"); }

TEST(FindMismatch, AnyListedStatusWillDo) {
  EXPECT_EQ(Mismatch({.status = {200, 206}}), "matches");
  EXPECT_EQ(Mismatch({.status = {200, 404}}), "status: wanted 200 or 404, got 206");
}

TEST(FindMismatch, HeadersAreFoundWithoutCase) {
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"content-range", "bytes 0-4/10"}}}), "matches");
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"content-range", "bytes 0-5/10"}}}),
            R"(header content-range: wanted "bytes 0-5/10", got "bytes 0-4/10")");
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"Location", Json{{"$absent", true}}}}}), "matches");
}

TEST(FindMismatch, LinesOfOneHeaderAreJoined) {
  EXPECT_EQ(Mismatch({.status = {206}, .headers = {{"X-Goog-Hash", "crc32c=abc=, md5=def="}}}), "matches");
}

TEST(FindMismatch, BodiesAreComparedAsJsonOrBytes) {
  EXPECT_EQ(Mismatch({.status = {206}, .json = Json{{"name", "a"}}}), "matches");
  EXPECT_EQ(Mismatch({.status = {206}, .json = Json{{"name", "b"}}}), R"(json /name: wanted "b", got "a")");
  EXPECT_EQ(Mismatch({.status = {206}, .body = Json(R"({"name": "a"})")}), "matches");
  EXPECT_EQ(Mismatch({.status = {206}, .body = Json("")}), R"(body: wanted "", got "{\"name\": \"a\"}")");
}

TEST(FindMismatch, ABodyThatIsNotJsonIsSaidToBe) {
  EXPECT_EQ(FindMismatch({.status = {200}, .json = Json::object()}, {.status = 200, .body = "<html>"}),
            "json: the body is not JSON");
}

TEST(FindMismatch, GeneratedBytesSayWhereTheyDiffer) {
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
