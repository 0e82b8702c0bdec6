#include "retry_tests/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gcsflux::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Result<void> Succeed(const Client& /*client*/, Scene& /*scene*/) { return {}; }

SdkCall CallOf(std::string_view method, std::string_view group, std::string_view name,
               Repeatable repeatable = Repeatable::kAlways) {
  return {.method = method, .group = group, .name = name, .repeatable = repeatable, .run = &Succeed};
}

const SdkCall kCalls[] = {CallOf("objects.get", "", "Get"), CallOf("objects.get", "download", "Read"),
                          CallOf("objects.insert", "", "Insert", Repeatable::kUnderPrecondition),
                          CallOf("objects.insert", "resumable", "Write", Repeatable::kByItself)};

/// A scenario of one case for one method.
RetryScenario ScenarioOf(RetryMethod method, bool precondition_provided = true) {
  return {.id = "1",
          .description = "d",
          .cases = {{.instructions = {"return-503"}}},
          .methods = {std::move(method)},
          .precondition_provided = precondition_provided,
          .expect_success = true};
}

std::vector<Trial> TrialsOf(const RetryScenario& scenario) { return MakeTrials({scenario}, kCalls); }

std::vector<std::string> Names(const std::vector<Trial>& trials) {
  std::vector<std::string> names;
  names.reserve(trials.size());
  for (const Trial& trial : trials) names.push_back(trial.name);
  return names;
}

TEST(MakeTrials, CombinesEachCaseWithEachCall) {
  RetryScenario scenario = ScenarioOf({.name = "objects.get", .resources = {"BUCKET", "OBJECT"}});
  scenario.cases.push_back({.instructions = {"return-reset-connection", "return-400"}});
  const auto trials = TrialsOf(scenario);
  EXPECT_THAT(Names(trials),
              ElementsAre("1/objects.get/Get[return-503]", "1/objects.get/Get[return-reset-connection,return-400]",
                          "1/objects.get/Read[return-503]", "1/objects.get/Read[return-reset-connection,return-400]"));
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.why_skipped, "");
    EXPECT_TRUE(trial.with_object);
    EXPECT_TRUE(trial.with_precondition);
    EXPECT_TRUE(trial.expect_success);
  }
}

TEST(MakeTrials, LimitsAGroupToItsCalls) {
  EXPECT_THAT(Names(TrialsOf(ScenarioOf({.name = "objects.get", .group = "download"}))),
              ElementsAre("1/objects.get/Read[return-503]"));
}

TEST(MakeTrials, SelectsCallsByName) {
  EXPECT_THAT(Names(TrialsOf(ScenarioOf({.name = "objects.get", .calls = {"Get"}}))),
              ElementsAre("1/objects.get/Get[return-503]"));
}

TEST(MakeTrials, NamesRules) {
  RetryScenario scenario = ScenarioOf({.name = "objects.get", .group = "download"});
  scenario.cases = {{.faults = Json::parse(R"([{"name": "gone"}, {"name": "late"}])")}};
  EXPECT_THAT(Names(TrialsOf(scenario)), ElementsAre("1/objects.get/Read[gone,late]"));
}

TEST(MakeTrials, SkipsAndCountsMethodsThatTheSdkLacks) {
  const RetryMethod cases[] = {{.name = "hmacKey.get"},
                               {.name = "objects.get", .group = "no such group"},
                               {.name = "objects.get", .calls = {"NoSuchCall"}}};
  for (const RetryMethod& method : cases) {
    const auto trials = TrialsOf(ScenarioOf(method));
    ASSERT_EQ(trials.size(), 1U);
    EXPECT_EQ(trials[0].why_skipped, "the SDK has no such call") << trials[0].name;
  }
}

TEST(MakeTrials, SkipsUnknownResourcesAndEmptyCases) {
  EXPECT_EQ(
      TrialsOf(ScenarioOf({.name = "objects.get", .group = "download", .resources = {"FOLDER"}})).at(0).why_skipped,
      "the SDK makes no FOLDER");
  RetryScenario scenario = ScenarioOf({.name = "objects.get", .group = "download"});
  scenario.cases = {{}};
  EXPECT_EQ(TrialsOf(scenario).at(0).why_skipped, "the case has no instructions");
}

TEST(MakeTrials, SkipsCallsThatAreAlwaysConditional) {
  const auto trials = TrialsOf(ScenarioOf({.name = "objects.insert"}, /*precondition_provided=*/false));
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].why_skipped, "");
  EXPECT_EQ(trials[1].why_skipped, "the SDK makes it conditional by itself");
}

TEST(SdkCalls, AreCompleteAndDistinct) {
  std::set<std::string> names;
  for (const SdkCall& call : SdkCalls()) {
    EXPECT_TRUE(call.run != nullptr && call.check != nullptr) << call.name;
    EXPECT_TRUE(call.method.starts_with("storage.") || call.method == kComposedDownload) << call.name;
    EXPECT_TRUE(names.insert(std::string(call.name)).second) << call.name;
  }
  EXPECT_THAT(names, ::testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace gcsflux::conformance
