#include "run_cases/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gcsflux::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Answers everything with 200.
class WillingService : public Transport {
 public:
  OrError<Response> Send(const Request& /*request*/) override { return Response{.status = 200}; }
};

Check CheckThat(const std::string& name, const Outcome& outcome) {
  return {.name = name,
          .claim = "c",
          .operations = {"storage.objects.get"},
          .run = [outcome](const Service&, const std::string&) { return outcome; }};
}

struct Ran {
  SuiteResult result;
  std::string out;
};

Ran RunAll(const std::vector<Check>& checks, std::size_t jobs, SuiteRun run = {}) {
  std::vector<WillingService> transports(jobs);
  std::vector<Service> services;
  for (WillingService& each : transports) services.push_back({.transport = each});
  run.is_interrupted = [] { return false; };
  std::ostringstream out;
  SuiteResult result = RunSuite(checks, services, run, out, out);
  return {std::move(result), out.str()};
}

TEST(RunSuite, PrintsInTheOrderOfTheChecksWithAnyNumberOfJobs) {
  std::vector<Check> checks;
  for (int i = 0; i < 200; ++i) {
    checks.push_back(
        CheckThat("f/A" + std::to_string(i), {.kind = i % 3 == 0 ? Outcome::Kind::kFailed : Outcome::Kind::kPassed}));
  }
  const Ran one = RunAll(checks, 1);
  const Ran four = RunAll(checks, 4);
  EXPECT_EQ(one.out, four.out);
  EXPECT_EQ(Summary(four.result.tally), "133 passed, 67 failed, 0 skipped");
}

TEST(RunSuite, CountsFormApartAndKnownDifferencesAsSkipped) {
  const std::vector<Check> checks = {
      CheckThat("f/Form", {.form = {"step 1: status"}}),
      CheckThat("f/KnownForm", {.form = {"step 1: status"}}),
      CheckThat("f/KnownFailure", {.kind = Outcome::Kind::kFailed, .detail = "d"}),
      CheckThat("f/PassesNow", {}),
      CheckThat("f/Fails", {.kind = Outcome::Kind::kFailed, .detail = "d"}),
  };
  using Known = KnownDifference::Kind;
  const Ran ran = RunAll(checks, 1,
                         {.known = {{Known::kFailure, "f/KnownFailure", "as told"},
                                    {Known::kFailure, "f/PassesNow", "as told"},
                                    {Known::kForm, "f/Known*", "as told"}}});
  EXPECT_EQ(Summary(ran.result.tally),
            "3 passed, 1 failed, 1 skipped, 1 of them known failures, 1 with form differences");
  EXPECT_THAT(ran.out, HasSubstr("ok   f/Form\n     form: step 1: status\n"));
  EXPECT_THAT(ran.out, HasSubstr("known f/KnownFailure: as told\n"));
  EXPECT_THAT(ran.out, HasSubstr("ok   f/PassesNow\n     was known to fail: as told\n"));
}

TEST(RunSuite, DoesNotRunWhatTheEndpointCannot) {
  const Ran ran = RunAll({CheckThat("f/A", {.kind = Outcome::Kind::kFailed})}, 1,
                         {.known = {{KnownDifference::Kind::kCannot, "storage.objects.*", "it has no objects"}}});
  EXPECT_EQ(ran.out, "skip f/A: it has no objects\n");
  EXPECT_EQ(ResultName(ran.result.outcomes[0]), "not applicable");
}

TEST(RunSuite, StopsIfNoCaseCanBegin) {
  const Outcome unprepared{.kind = Outcome::Kind::kFailed, .detail = "no bucket", .is_unprepared = true};
  const Ran ran = RunAll(std::vector<Check>(500, CheckThat("f/A", unprepared)), 1);
  EXPECT_EQ(Summary(ran.result.tally), "0 passed, 5 failed, 495 skipped");
  EXPECT_EQ(ran.result.why_cut_short, "5 cases in a row could not begin: no bucket");
}

TEST(RunSuite, StopsAfterTheBudgetOfRequestsButCleansUp) {
  int cleaned = 0;
  const Check sends{.name = "f/A", .run = [&](const Service& service, const std::string&) {
                      Outcome outcome;
                      for (int i = 0; i < 3; ++i) {
                        if (!service.transport.Send({.method = "GET", .target = "/"}))
                          outcome.kind = Outcome::Kind::kFailed;
                      }
                      service.begin_cleaning();
                      if (service.transport.Send({.method = "DELETE", .target = "/"})) ++cleaned;
                      return outcome;
                    }};
  RequestBudget budget(5);
  const Ran ran = RunAll({sends, sends, sends}, 1, {.budget = &budget});
  EXPECT_EQ(Summary(ran.result.tally), "1 passed, 1 failed, 1 skipped");
  EXPECT_EQ(cleaned, 2);
}

// A service whose pages or sessions never end must not hold the run.
TEST(RunSuite, EndsACaseThatSendsForEver) {
  const Check endless{.name = "f/A", .run = [](const Service& service, const std::string&) {
                        while (service.transport.Send({.method = "GET", .target = "/"})) {
                        }
                        return Outcome{.kind = Outcome::Kind::kFailed};
                      }};
  const Ran ran = RunAll({endless}, 1);
  ASSERT_EQ(ran.result.outcomes[0].exchanges.size(), CaseRecord::kMostExchanges);
  EXPECT_EQ(ran.result.outcomes[0].exchanges.back().request.target, "/");
}

TEST(Tagged, MatchesOperationsSubjectsAndTags) {
  const std::vector<Check> checks = {{.name = "names/A", .operations = {"storage.objects.get"}},
                                     {.name = "ranges/A", .operations = {"xml.objects.get"}},
                                     {.name = "ranges/B", .tags = {"slow"}}};
  const auto names = [&](const std::vector<std::string>& globs) {
    std::vector<std::string> matching;
    for (const Check& each : Tagged(checks, globs)) matching.push_back(each.name);
    return matching;
  };
  EXPECT_THAT(names({}), ::testing::SizeIs(3));
  EXPECT_THAT(names({"*.objects.get"}), ElementsAre("names/A", "ranges/A"));
  EXPECT_THAT(names({"slow", "names"}), ElementsAre("names/A", "ranges/B"));
  EXPECT_THAT(names({"fast"}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace gcsflux::conformance
