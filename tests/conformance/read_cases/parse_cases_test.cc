#include "read_cases/parse_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read_cases/load_cases.h"
#include "run_cases/suite.h"

namespace gcsflux::conformance {
namespace {

/// A file of one case with one step; `fields` are added to the case, `step` is the step's own text.
std::string FileOf(const std::string& step, const std::string& fields = "") {
  return R"({"cases": [{"name": "One", "claim": "c", "source": "s", )" + fields + R"("steps": [)" + step + "]}]}";
}

TEST(ParseCases, ReadsEveryField) {
  const auto cases = ParseCases("dir/names.json", R"({"cases": [{
      "name": "All", "claim": "a claim", "source": "a page", "needs": ["access_token", "/_emulator/health"],
      "bucket_exists": false, "given": {"text": "t", "long": {"repeat": "ab", "times": 3}},
      "steps": [{"for_each": ["x", "{text}"], "request": "PUT /o/{each|encoded}", "headers": {"Authorization": null, "A": "{long}"},
                 "body": ["text", {"json": {"a": 1}}, {"bytes": 5, "seed": 6, "offset": 7}, {"base64": "H4sA/w=="}], "chunked": true,
                 "want": {"status": [200, 204], "headers": {"E": "{endpoint}"}, "json": {"n": "{bucket}"}, "xml": {"/E/C": "{bucket}"}, "body": {"bytes": 2}},
                 "save": {"g": {"json": "/generation"}, "l": {"header": "Location"}, "u": {"xml": "/U/Id"}}},
                {"request": "GET {l}", "want": {"status": 200, "body": "{g}{project}{u}"}}]}]})");
  ASSERT_TRUE(cases) << cases.error();
  const Case& parsed = cases->at(0);
  EXPECT_EQ(parsed.name, "names/All");
  EXPECT_EQ(parsed.claim, "a claim");
  EXPECT_EQ(parsed.source, "a page");
  EXPECT_FALSE(parsed.bucket_exists);
  EXPECT_THAT(parsed.needs, ::testing::ElementsAre("access_token", "/_emulator/health"));
  EXPECT_THAT(parsed.given, ::testing::ElementsAre(::testing::Pair("long", "ababab"), ::testing::Pair("text", "t")));
  ASSERT_EQ(parsed.steps.size(), 2U);
  const Step& step = parsed.steps[0];
  EXPECT_THAT(step.for_each, ::testing::ElementsAre("x", "{text}"));
  EXPECT_EQ(step.method, "PUT");
  EXPECT_EQ(step.target, "/o/{each|encoded}");
  EXPECT_TRUE(step.anonymous);
  EXPECT_TRUE(step.chunked);
  ASSERT_EQ(step.body.size(), 4U);
  EXPECT_EQ(std::get<GeneratedBytes>(step.body[2]).offset, 7U);
  EXPECT_EQ(std::get<RawBytes>(step.body[3]).value, "\x1f\x8b" + std::string("\0\xff", 2));
  EXPECT_THAT(step.want.status, ::testing::ElementsAre(200, 204));
  EXPECT_THAT(step.want.xml, ::testing::ElementsAre(::testing::Pair("/E/C", Json("{bucket}"))));
  ASSERT_EQ(step.save.size(), 3U);
  EXPECT_EQ(std::get<XPath>(step.save[2].source).expression, "/U/Id");
  EXPECT_EQ(std::get<std::string>(step.save[1].source), "Location");
}

TEST(ParseCases, SetsTheContentTypeOfAJsonBody) {
  const auto cases =
      ParseCases("f.json", FileOf(R"({"request": "POST /a", "body": {"json": {}}, "want": {"status": 200}})"));
  ASSERT_TRUE(cases) << cases.error();
  EXPECT_EQ(FindHeader(cases->at(0).steps[0].headers, "Content-Type"), "application/json");
}

struct Malformed {
  const char* step;
  const char* problem;  ///< Part of the message, with the field's place.
};

const Malformed kMalformedSteps[] = {
    {"7", "steps[0]: must be an object"},
    {R"({"want": {"status": 200}})", "steps[0].request: must be there"},
    {R"({"request": "get /", "want": {"status": 200}})", "steps[0].request: must begin with a method"},
    {R"({"request": "GET", "want": {"status": 200}})", "steps[0].request: must have a target"},
    {R"({"request": "GET http://x/", "want": {"status": 200}})", "steps[0].request: must have a target"},
    {R"({"request": "GET /a b", "want": {"status": 200}})", "steps[0].request: must have a target"},
    {R"({"request": "GET /é", "want": {"status": 200}})", "steps[0].request: must have a target"},
    {R"({"request": "GET /"})", "steps[0].want: must be there"},
    {R"({"request": "GET /", "want": {}})", "steps[0].want.status: must be there"},
    {R"({"request": "GET /", "want": {"status": "200"}})", "steps[0].want.status: must be an HTTP status"},
    {R"({"request": "GET /", "want": {"status": []}})", "steps[0].want.status: must not be an empty list"},
    {R"({"request": "GET /", "wants": {"status": 200}, "want": {"status": 200}})", "steps[0].wants: is not a field"},
    {R"({"request": "GET /", "want": {"status": 200, "headers": {"A": 1}}})", "steps[0].want.headers: A must be"},
    {R"({"request": "GET /", "want": {"status": 200, "json": {"a": {"$wild": 1}}}})",
     "steps[0].want.json: there is no"},
    {R"({"request": "GET /", "want": {"status": 200, "body": {"a": 1}}})", "steps[0].want.body: must be a string"},
    {R"({"request": "GET /", "headers": {"A": null}, "want": {"status": 200}})",
     "steps[0].headers: A must be a string"},
    {R"({"request": "GET /", "headers": [], "want": {"status": 200}})", "steps[0].headers: must be an object"},
    {R"({"request": "PUT /", "body": {"bytes": -1}, "want": {"status": 200}})",
     "steps[0].body.bytes: must be a number"},
    {R"({"request": "PUT /", "body": {"bytes": 1e30}, "want": {"status": 200}})",
     "steps[0].body.bytes: must be a number"},
    {R"({"request": "PUT /", "body": {"bytes": 999999999999}, "want": {"status": 200}})",
     "steps[0].body.bytes: must be at most"},
    {R"({"request": "PUT /", "body": [{"text": "a"}], "want": {"status": 200}})",
     "steps[0].body[0].json: must be there"},
    {R"({"request": "PUT /", "body": {"base64": "a"}, "want": {"status": 200}})",
     "steps[0].body.base64: must be standard base64"},
    {R"({"request": "PUT /", "body": {"base64": "a=b="}, "want": {"status": 200}})",
     "steps[0].body.base64: must be standard base64"},
    {R"({"request": "PUT /", "chunked": true, "want": {"status": 200}})", "steps[0].chunked: needs a body"},
    {R"({"request": "GET /", "for_each": [], "want": {"status": 200}})", "steps[0].for_each: must be a list"},
    {R"({"request": "GET /", "for_each": [1], "want": {"status": 200}})", "steps[0].for_each: must hold strings"},
    {R"({"request": "GET /", "want": {"status": 200}, "save": {"a": {}}})", "steps[0].save.a: must have a header"},
    {R"({"request": "GET /", "want": {"status": 200}, "save": {"a": {"json": "/b", "xml": "/b"}}})",
     "steps[0].save.a: must have a header"},
    {R"({"request": "GET /", "want": {"status": 200}, "save": {"a": {"xml": "/b["}}})", "steps[0].save.a: /b[ is no"},
    {R"({"request": "GET /", "want": {"status": 200, "xml": {"/b[": "c"}}})", "steps[0].want.xml: /b[ is not an XPath"},
    {R"({"request": "GET /", "want": {"status": 200, "xml": {"/b": {"c": 1}}}})", "steps[0].want.xml: /b must be"},
    {R"({"request": "GET /", "want": {"status": 200, "xml": {"/b": {"$wild": 1}}}})", "steps[0].want.xml: there is no"},
    {R"({"request": "GET /", "want": {"status": 200, "xml": "/b"}})", "steps[0].want.xml: must be an object"},
    {R"({"request": "GET /", "want": {"status": 200}, "save": {"a": {"json": "b"}}})",
     "steps[0].save.a: json must be a JSON pointer"},
    {R"({"request": "GET /", "want": {"status": 200}, "form": {}})", "steps[0].form: must not be empty"},
    {R"({"request": "GET /", "want": {"status": 200}, "form": {"state": 200}})", "steps[0].form.state: is not a field"},
    {R"({"request": "GET /", "want": {"status": 200}, "form": {"body": "{nowhere}"}})",
     "steps[0]: {nowhere} is neither"},
    {R"({"request": "GET /{nowhere}", "want": {"status": 200}})", "steps[0]: {nowhere} is neither given nor saved"},
    {R"({"request": "GET /", "want": {"status": 200, "body": "{each}"}})", "steps[0]: {each} is neither"},
    {R"({"request": "GET /", "want": {"status": 200, "xml": {"/b": "{nowhere}"}}})", "steps[0]: {nowhere} is neither"},
    {R"({"request": "GET /", "want": {"status": 200}, "save": {"a": {"header": "A"}}}, {"request": "GET /{b}", "want": {"status": 200}})",
     "steps[1]: {b} is neither"},
};

TEST(ParseCases, NamesFileCaseAndFieldOfAMalformedStep) {
  for (const auto& each : kMalformedSteps) {
    const auto cases = ParseCases("names.json", FileOf(each.step));
    ASSERT_FALSE(cases) << each.step;
    EXPECT_THAT(cases.error(), ::testing::StartsWith(std::string("names.json: case \"One\".") + each.problem));
  }
}

const Malformed kMalformedFiles[] = {
    {"", "parse error"},
    {"{", "parse error"},
    {"[]", "must be an object"},
    {R"({"cases": []})", "cases: must be a list, not empty"},
    {R"({"cases": {}})", "cases: must be a list"},
    {R"({"case": []})", "case: is not a field"},
    {R"({"cases": [1]})", "cases[0]: must be an object"},
    {R"({"cases": [{"claim": "c", "steps": []}]})", "cases[0].name: must be there"},
    {R"({"cases": [{"name": "a b", "claim": "c", "steps": []}]})", "name: must be a claim in CamelCase"},
    {R"({"cases": [{"name": "A", "steps": []}]})", "case \"A\".claim: must be there"},
    {R"({"cases": [{"name": "A", "claim": "c"}]})", "case \"A\".steps: must be a list, not empty"},
    {R"({"cases": [{"name": "A", "claim": "c", "needs": ["luck"], "steps": [{}]}]})", "case \"A\".needs: must hold"},
    {R"({"cases": [{"name": "A", "claim": "c", "given": {"a": {"repeat": "b"}}, "steps": [{}]}]})",
     "given.a.times: must be"},
    {R"({"cases": [{"name": "A", "claim": "c", "steps": [{"request": "GET /", "want": {"status": 200}}]}]})",
     "case \"A\".source: must be there, unless"},
    {R"j({"cases": [{"name": "A", "claim": "c (unverified: )", "steps": [{"request": "GET /", "want": {"status": 200}}]}]})j",
     "case \"A\".source: must be there, unless"},
};

TEST(ParseCases, RefusesAZeroByte) {
  EXPECT_EQ(ParseCases("f.json", std::string_view("{}\0{}", 5)).error(), "f.json: it holds a zero byte");
}

TEST(ParseCases, NamesFileAndPlaceOfAMalformedFile) {
  for (const auto& each : kMalformedFiles) {
    const auto cases = ParseCases("names.json", each.step);
    ASSERT_FALSE(cases) << each.step;
    EXPECT_THAT(cases.error(), ::testing::StartsWith("names.json: "));
    EXPECT_THAT(cases.error(), ::testing::HasSubstr(each.problem));
  }
}

TEST(ParseCases, RefusesADuplicateName) {
  const std::string one =
      R"j({"name": "One", "claim": "c (unverified: seen)", "steps": [{"request": "GET /", "want": {"status": 200}}]})j";
  const auto cases = ParseCases("names.json", R"({"cases": [)" + one + "," + one + "]}");
  ASSERT_FALSE(cases);
  EXPECT_EQ(cases.error(), "names.json: names/One: the name is taken twice");
}

TEST(LoadCases, LoadsEveryEmbeddedFile) {
  const auto cases = LoadEmbeddedCases();
  ASSERT_TRUE(cases) << cases.error();
  EXPECT_GE(cases->size(), 40U);
}

TEST(LoadCases, FailsForAMissingFile) {
  const auto cases = LoadCases("/nonexistent/cases.json");
  ASSERT_FALSE(cases);
  EXPECT_THAT(cases.error(), ::testing::HasSubstr("/nonexistent/cases.json: cannot be read"));
}

TEST(Filtered, MatchesByShellPattern) {
  const std::vector<Check> checks = {{.name = "names/A"}, {.name = "ranges/A"}, {.name = "ranges/B"}};
  const auto names = [&](const char* glob) {
    std::vector<std::string> matching;
    for (const Check& each : Filtered(checks, glob)) matching.push_back(each.name);
    return matching;
  };
  EXPECT_THAT(names("*"), ::testing::SizeIs(3));
  EXPECT_THAT(names("ranges/*"), ::testing::ElementsAre("ranges/A", "ranges/B"));
  EXPECT_THAT(names("*A"), ::testing::ElementsAre("names/A", "ranges/A"));
  EXPECT_THAT(names("A"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace gcsflux::conformance
