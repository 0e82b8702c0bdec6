#include "broken/defect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "broken/broken_proxy.h"
#include "broken/find_defect.h"
#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"

namespace gcsflux::conformance {
namespace {

TEST(Defect, MatchesOperationParametersAndHeaders) {
  const DefectMatch match{.operations = {"storage.objects.*"},
                          .query = {{"alt", "media"}, {"generation", std::nullopt}},
                          .headers = {{"Range", "bytes=-*"}}};
  const Headers suffix = {{"range", "bytes=-5"}};
  EXPECT_TRUE(IsAbout(match, {.method = "GET", .target = "/storage/v1/b/b/o/a?alt=media", .headers = suffix}));
  EXPECT_FALSE(IsAbout(match, {.method = "GET", .target = "/storage/v1/b/b/o/a?alt=media"}));
  EXPECT_FALSE(IsAbout(match, {.method = "GET", .target = "/storage/v1/b/b?alt=media", .headers = suffix}));
  EXPECT_FALSE(
      IsAbout(match, {.method = "GET", .target = "/storage/v1/b/b/o/a?alt=media&generation=1", .headers = suffix}));
}

TEST(Defect, ChangesTheRequest) {
  const Request changed = Changed({.method = "GET",
                                   .target = "/a?x=1&ifGenerationMatch=2&y=3",
                                   .headers = {{"x-goog-if-generation-match", "4"}, {"A", "b"}},
                                   .body = "one two"},
                                  RequestDefect{.drop_query = {"if*"},
                                                .set_query = {{"y", "4"}},
                                                .drop_headers = {"x-goog-if-*"},
                                                .replace = {{"one", "1"}}});
  EXPECT_EQ(changed.target, "/a?x=1&y=4");
  EXPECT_EQ(changed.headers, (Headers{{"A", "b"}}));
  EXPECT_EQ(*changed.body, "1 two");
}

TEST(Defect, ChangesTheAnswer) {
  const auto json = [](const AnswerDefect& defect) {
    return Changed(Response{.status = 200, .body = R"({"items": [{"a": 1, "b": 2}, {"a": 3}], "c": 4})"}, defect).body;
  };
  EXPECT_EQ(json({.drop_json = {"/items/*/a"}}), R"({"c":4,"items":[{"b":2},{}]})");
  EXPECT_EQ(json({.set_json = {{"/c", "5"}}}), R"({"c":"5","items":[{"a":1,"b":2},{"a":3}]})");
  EXPECT_EQ(json({.reverse = "/items"}), R"({"c":4,"items":[{"a":3},{"a":1,"b":2}]})");
  EXPECT_EQ(json({.drop_last = "/items"}), R"({"c":4,"items":[{"a":1,"b":2}]})");
  EXPECT_EQ(Changed(Response{.body = "<a><b>1</b><b>2</b></a>"}, AnswerDefect{.cut = {{"<b>", "</b>"}}}).body,
            "<a></a>");
  EXPECT_EQ(Changed(Response{.body = "abc"}, AnswerDefect{.truncate = 1}).body, "ab");
  EXPECT_EQ(Changed(Response{.body = "abc"}, AnswerDefect{.flips_a_byte = true}).body, "acc");
}

TEST(BrokenProxy, ChangesWhatItsDefectIsAboutOnly) {
  const emulator::Emulator emulator;
  const Defect defect{.match = {.operations = {"storage.buckets.get"}}, .answer = {.status = 418}};
  const BrokenProxy proxy(emulator.endpoint(), &defect);
  CurlTransport transport(proxy.endpoint(), "");
  EXPECT_EQ(transport.Send({.method = "GET", .target = "/storage/v1/b?project=p"})->status, 200);
  EXPECT_EQ(proxy.fired(), 0);
  EXPECT_EQ(transport.Send({.method = "GET", .target = "/storage/v1/b/none"})->status, 418);
  EXPECT_EQ(proxy.fired(), 1);
}

TEST(BrokenProxy, DoesNotDoWhatItSays) {
  emulator::Emulator emulator;
  const Defect defect{.match = {.operations = {"storage.buckets.insert"}}, .effect = DefectEffect::kNotDone};
  const BrokenProxy proxy(emulator.endpoint(), &defect);
  CurlTransport transport(proxy.endpoint(), "");
  EXPECT_EQ(transport.Send({.method = "POST", .target = "/storage/v1/b?project=p", .body = "{}"})->status, 200);
  EXPECT_TRUE(emulator.journal().empty());
}

// A defect that nothing notices must fail the test of all defects.
TEST(FindDefect, TellsThatNoCaseNoticed) {
  const emulator::Emulator emulator;
  const Defect harmless{.match = {.operations = {"storage.buckets.get"}},
                        .answer = {.set_headers = {{"X-Extra", "1"}}}};
  const Check check{
      .name = "f/A", .operations = {"storage.buckets.get"}, .run = [](const Service& service, const auto&) {
        const auto got = service.transport.Send({.method = "GET", .target = "/storage/v1/b/none"});
        return Outcome{.kind = got && got->status == 404 ? Outcome::Kind::kPassed : Outcome::Kind::kFailed};
      }};
  const DefectFound found = FindDefect(&harmless, {check}, emulator.endpoint());
  EXPECT_EQ(found.fired, 1);
  EXPECT_TRUE(found.seen_by.empty());
  const Defect wrong{.match = {.operations = {"storage.buckets.get"}}, .answer = {.status = 200}};
  EXPECT_EQ(FindDefect(&wrong, {check}, emulator.endpoint()).seen_by, std::vector<std::string>{"f/A"});
}

}  // namespace
}  // namespace gcsflux::conformance
