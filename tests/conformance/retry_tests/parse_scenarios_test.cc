#include "retry_tests/parse_scenarios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/read_file.h"

namespace gcsflux::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<RetryScenario> Parse(std::string_view text) {
  auto scenarios = ParseScenarios("f.json", text);
  if (!scenarios) ADD_FAILURE() << scenarios.error();
  return scenarios ? *std::move(scenarios) : std::vector<RetryScenario>();
}

TEST(ParseScenarios, ReadsThePublicSchema) {
  const auto scenarios = Parse(R"({"retryTests": [
      {"id": 8, "description": "downloads",
       "cases": [{"instructions": ["return-503", "return-broken-stream"]}, {"instructions": ["return-400"]}],
       "methods": [{"name": "storage.objects.get", "resources": ["BUCKET", "OBJECT"], "group": "storage.objects.download"},
                   {"name": "storage.buckets.list", "resources": []}],
       "preconditionProvided": false, "expectSuccess": true}]})");
  ASSERT_THAT(scenarios, SizeIs(1));
  const RetryScenario& downloads = scenarios[0];
  EXPECT_EQ(downloads.id, "8");
  EXPECT_EQ(downloads.description, "downloads");
  ASSERT_THAT(downloads.cases, SizeIs(2));
  EXPECT_THAT(downloads.cases[0].instructions, ElementsAre("return-503", "return-broken-stream"));
  EXPECT_THAT(downloads.cases[1].instructions, ElementsAre("return-400"));
  ASSERT_THAT(downloads.methods, SizeIs(2));
  EXPECT_EQ(downloads.methods[0].name, "storage.objects.get");
  EXPECT_EQ(downloads.methods[0].group, "storage.objects.download");
  EXPECT_THAT(downloads.methods[0].resources, ElementsAre("BUCKET", "OBJECT"));
  EXPECT_THAT(downloads.methods[1].resources, IsEmpty());
  EXPECT_FALSE(downloads.precondition_provided);
  EXPECT_TRUE(downloads.expect_success);
}

TEST(ParseScenarios, ReadsOurOwnFields) {
  const auto scenarios = Parse(R"({"retryTests": [
      {"id": "x", "cases": [{"faults": [{"name": "gone", "action": {"type": "loseSession"}}]}],
       "methods": [{"name": "storage.objects.insert", "calls": ["ObjectWriter"]}], "expectError": "SESSION_LOST",
       "expectEffect": "none"}]})");
  ASSERT_THAT(scenarios, SizeIs(1));
  ASSERT_THAT(scenarios[0].cases, SizeIs(1));
  EXPECT_EQ(scenarios[0].cases[0].faults.dump(), R"([{"action":{"type":"loseSession"},"name":"gone"}])");
  EXPECT_THAT(scenarios[0].methods.at(0).calls, ElementsAre("ObjectWriter"));
  EXPECT_EQ(scenarios[0].expect_error, "SESSION_LOST");
  EXPECT_EQ(scenarios[0].expect_effect, ExpectedEffect::kNone);
}

// As in a later version of the public file.
TEST(ParseScenarios, IgnoresUnknownFields) {
  const auto scenarios = Parse(R"({"version": 2, "retryTests": [
      {"id": 1, "note": [], "cases": [{"instructions": ["do-what-is-unknown"], "weight": 3}],
       "methods": [{"name": "storage.folders.get", "resources": ["FOLDER"], "transport": "GRPC"}]}]})");
  ASSERT_THAT(scenarios, SizeIs(1));
  EXPECT_THAT(scenarios[0].cases.at(0).instructions, ElementsAre("do-what-is-unknown"));
  EXPECT_EQ(scenarios[0].methods.at(0).name, "storage.folders.get");
}

TEST(ParseScenarios, ReadsAbsentFieldsAsFalseOrEmpty) {
  const auto scenarios = Parse(R"({"retryTests": [{"id": 4, "cases": [{"instructions": []}], "methods": []}]})");
  ASSERT_THAT(scenarios, SizeIs(1));
  EXPECT_THAT(scenarios[0].cases.at(0).instructions, IsEmpty());
  EXPECT_THAT(scenarios[0].methods, IsEmpty());
  EXPECT_FALSE(scenarios[0].precondition_provided);
  EXPECT_FALSE(scenarios[0].expect_success);
}

TEST(ParseScenarios, RefusesAZeroByte) {
  EXPECT_EQ(ParseScenarios("f.json", std::string_view("{}\0{}", 5)).error(), "f.json: it holds a zero byte");
}

TEST(ParseScenarios, NamesThePlaceOfAnError) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"retryTests": [)", "f.json: [json.exception.parse_error.101] parse error at line 1, column"},
      {R"([])", "f.json: : must be an object"},
      {R"({})", "f.json: retryTests: must be a list, not empty"},
      {R"({"retryTests": []})", "f.json: retryTests: must be a list, not empty"},
      {R"({"retryTests": {"id": 1}})", "f.json: retryTests: must be a list"},
      {R"({"retryTests": [7]})", "f.json: retryTests[0]: must be an object"},
      {R"({"retryTests": [{"description": "d"}]})", "f.json: retryTests[0].id: must be there"},
      {R"({"retryTests": [{"id": 1.5}]})", "f.json: retryTests[0].id: must be a string"},
      {R"({"retryTests": [{"id": 1}, {"id": 2, "expectSuccess": "yes"}]})",
       "f.json: retryTests[1].expectSuccess: must be true or false"},
      {R"({"retryTests": [{"id": 1, "cases": [{"instructions": [503]}]}]})",
       "f.json: retryTests[0].cases[0].instructions: must hold strings only"},
      {R"({"retryTests": [{"id": 1, "cases": [{"instructions": "return-503"}]}]})",
       "f.json: retryTests[0].cases[0].instructions: must be a list"},
      {R"({"retryTests": [{"id": 1, "methods": [{"resources": []}]}]})",
       "f.json: retryTests[0].methods[0].name: must be there"},
      {R"({"retryTests": [{"id": 1, "methods": [{"name": "a"}, {"name": "b", "resources": "BUCKET"}]}]})",
       "f.json: retryTests[0].methods[1].resources: must be a list"},
      {R"({"retryTests": [{"id": 1, "cases": [{"faults": ["status"]}]}]})",
       "f.json: retryTests[0].cases[0].faults: must hold rules with names"},
      {R"({"retryTests": [{"id": 1, "expectEffect": "twice"}]})",
       "f.json: retryTests[0].expectEffect: must be any, none or once"},
  };
  for (const auto& [text, problem] : cases) {
    const auto scenarios = ParseScenarios("f.json", text);
    ASSERT_FALSE(scenarios) << text;
    EXPECT_THAT(scenarios.error(), HasSubstr(problem)) << text;
  }
}

TEST(ParseScenarios, ReadsTheBundledFiles) {
  const auto read = [](const std::string& name) {
    const auto text = ReadFile(GCSFLUX_RETRY_TESTS "/" + name);
    return text ? Parse(*text) : std::vector<RetryScenario>();
  };
  EXPECT_THAT(read("public_scenarios.json"), SizeIs(8));
  EXPECT_THAT(read("gcsflux.json"), ::testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace gcsflux::conformance
