#include "run_cases/run_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <new>
#include <sstream>

#include "case/excerpt.h"
#include "read_cases/load_cases.h"
#include "read_cases/parse_cases.h"
#include "run_cases/suite.h"

namespace gcsflux::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Answers from a list, then repeats the last answer, and records the requests.
class ScriptedService : public Transport {
 public:
  explicit ScriptedService(std::deque<Response> answers) : answers_(std::move(answers)) {}

  OrError<Response> Send(const Request& request) override {
    asked_.push_back(request.method + " " + request.target);
    bodies_.push_back(request.body.value_or(""));
    Response answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }

  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }
  [[nodiscard]] const std::vector<std::string>& bodies() const { return bodies_; }

 private:
  std::deque<Response> answers_;
  std::vector<std::string> asked_;
  std::vector<std::string> bodies_;
};

Case CaseOf(const std::string& fields) {
  auto cases = ParseCases("f.json", R"({"cases": [{"name": "A", "claim": "c", "source": "s", )" + fields + "}]}");
  if (!cases) ADD_FAILURE() << cases.error();
  return cases ? cases->at(0) : Case{};
}

Outcome RunAgainst(const Case& subject, ScriptedService& transport, std::vector<int>* waits = nullptr,
                   bool has_token = false) {
  const Service service{.transport = transport,
                        .endpoint = "http://host:1",
                        .project = "p",
                        .has_access_token = has_token,
                        .sleep = [waits](std::chrono::seconds wait) {
                          if (waits != nullptr) waits->push_back(static_cast<int>(wait.count()));
                        }};
  return RunCase(subject, service, "b");
}

std::span<const Service> One(const Service& service) { return {&service, 1}; }

const Response kMade = {.status = 200};
const Response kGone = {.status = 204};

TEST(RunCase, CreatesAndDeletesItsBucket) {
  ScriptedService service({kMade, {.status = 200, .body = "x"}, kGone});
  const Outcome outcome =
      RunAgainst(CaseOf(R"("steps": [{"request": "GET /b/{bucket}", "want": {"status": 200, "body": "x"}}])"), service);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
  EXPECT_THAT(service.asked(), ElementsAre("POST /storage/v1/b?project=p", "GET /b/b", "DELETE /storage/v1/b/b"));
  EXPECT_EQ(service.bodies()[0], R"({"name":"b"})");
}

TEST(RunCase, EmptiesItsBucketBeforeTheDeletion) {
  ScriptedService service({kMade,
                           {.status = 200},
                           {.status = 409},
                           {.status = 200, .body = R"({"items": [{"name": "a/b", "generation": "7"}]})"},
                           kGone,
                           kGone});
  const Outcome outcome = RunAgainst(CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])"), service);
  EXPECT_EQ(outcome.leftover, "");
  EXPECT_THAT(service.asked(),
              ElementsAre(::testing::_, ::testing::_, "DELETE /storage/v1/b/b", "GET /storage/v1/b/b/o?versions=true",
                          "DELETE /storage/v1/b/b/o/a%2Fb?generation=7", "DELETE /storage/v1/b/b"));
}

TEST(RunCase, ReportsABucketThatRemains) {
  ScriptedService service({kMade, {.status = 200}, {.status = 500, .body = "broken"}});
  const Outcome outcome = RunAgainst(CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])"), service);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed);
  EXPECT_EQ(outcome.leftover, R"(cannot delete the bucket b: 500 "broken")");
}

/// Acknowledges every delete, and always lists an object. `list` gives the object's generation.
class KeepingService : public Transport {
 public:
  explicit KeepingService(std::function<int()> generation) : generation_(std::move(generation)) {}

  OrError<Response> Send(const Request& request) override {
    ++requests_;
    if (request.method == "POST") return kMade;
    if (request.method == "DELETE") return request.target.find("/o/") != std::string::npos ? kGone : Response{409};
    return Response{
        .status = 200,
        .body = R"({"items": [{"name": "kept", "generation": ")" + std::to_string(generation_()) + R"("}]})"};
  }

  [[nodiscard]] int requests() const { return requests_; }

 private:
  const std::function<int()> generation_;
  int requests_ = 0;
};

TEST(RunCase, StopsIfTheServiceOnlyAcknowledgesDeletes) {
  const Case subject = CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])");
  KeepingService same([] { return 7; });
  EXPECT_THAT(RunCase(subject, {.transport = same}, "b").leftover,
              HasSubstr("kept#7 was deleted, and others, but they are still listed"));
  EXPECT_LT(same.requests(), 10);
  KeepingService others([next = 0]() mutable { return ++next; });
  EXPECT_THAT(RunCase(subject, {.transport = others}, "b").leftover, HasSubstr("there are always more"));
  EXPECT_LT(others.requests(), 100);
}

TEST(RunCase, StartsTheTimeLimitsOfStepsAndCleanup) {
  ScriptedService transport({kMade, {.status = 200}, kGone});
  std::vector<std::size_t> begun;
  const auto begin = [&] { begun.push_back(transport.asked().size()); };
  RunCase(CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])"),
          {.transport = transport, .begin_case = begin, .begin_cleaning = begin}, "b");
  EXPECT_THAT(begun, ElementsAre(0, 2));
}

TEST(RunCase, NamesTheFailedStepAndCleansUp) {
  ScriptedService service({kMade, {.status = 200}, {.status = 200, .body = R"({"name": "b"})"}, kGone});
  const Outcome outcome = RunAgainst(CaseOf(R"("steps": [{"request": "PUT /one", "want": {"status": 200}},
                                                  {"request": "GET /two", "want": {"status": 200, "json": {"name": "a"}}},
                                                  {"request": "GET /three", "want": {"status": 200}}])"),
                                     service);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kFailed);
  EXPECT_EQ(outcome.detail,
            R"(step 2, GET /two: json /name: wanted "a", got "b"; the answer was 200 "{\"name\": \"b\"}")");
  EXPECT_EQ(service.asked().back(), "DELETE /storage/v1/b/b");
}

TEST(RunCase, UsesSavedValuesInLaterSteps) {
  ScriptedService service(
      {kMade,
       {.status = 200, .headers = {{"Location", "http://host:1/u?id=1"}}, .body = R"({"n": {"g": 7}})"},
       {.status = 200, .body = "7"},
       {.status = 200, .body = "<R><Id>8</Id></R>"},
       {.status = 200},
       kGone});
  const Outcome outcome = RunAgainst(CaseOf(R"("given": {"word": "w"}, "steps": [
      {"request": "POST /start", "want": {"status": 200}, "save": {"session": {"header": "location"}, "g": {"json": "/n/g"}}},
      {"request": "PUT {session}", "body": ["{word}", {"json": {"g": "{g}"}}], "want": {"status": 200, "body": "{g}"}},
      {"request": "POST /xml", "want": {"status": 200, "xml": {"/R/Id": "8"}}, "save": {"x": {"xml": "/R/Id"}}},
      {"request": "PUT /{x}", "body": {"base64": "e3h9"}, "want": {"status": 200}}])"),
                                     service);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
  EXPECT_EQ(service.asked()[2], "PUT /u?id=1");
  EXPECT_EQ(service.bodies()[2], R"(w{"g":"7"})");
  EXPECT_EQ(service.asked()[4], "PUT /8");
  EXPECT_EQ(service.bodies()[4], "{x}");  // Placeholders inside raw bytes are not replaced.
}

TEST(RunCase, FailsForASessionOnAnotherHost) {
  ScriptedService service({kMade, {.status = 200, .headers = {{"Location", "http://host:10/u"}}}, kGone});
  const Outcome outcome = RunAgainst(CaseOf(R"("steps": [
      {"request": "POST /start", "want": {"status": 200}, "save": {"session": {"header": "Location"}}},
      {"request": "PUT {session}", "want": {"status": 200}}])"),
                                     service);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(outcome.detail, HasSubstr("is not at the endpoint http://host:1"));
}

TEST(RunCase, FailsIfAValueCannotBeSaved) {
  ScriptedService service({kMade, {.status = 200, .body = "[]"}, kGone});
  const Outcome outcome = RunAgainst(
      CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}, "save": {"t": {"json": "/a"}}}])"), service);
  EXPECT_THAT(outcome.detail, HasSubstr("save t: there is nothing at /a"));

  ScriptedService xml({kMade, {.status = 200, .body = "<R><Id>8</Id><Id>9</Id></R>"}, kGone});
  const Outcome twice = RunAgainst(
      CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}, "save": {"t": {"xml": "/R/Id"}}}])"), xml);
  EXPECT_THAT(twice.detail, HasSubstr("save t: there is not one node at /R/Id"));
}

TEST(RunCase, RunsAForEachStepOncePerValue) {
  ScriptedService service({kMade, {.status = 200, .body = "a b"}, {.status = 200, .body = "?"}, kGone});
  const Outcome outcome = RunAgainst(CaseOf(R"("steps": [{"for_each": ["a b", "c"], "request": "GET /{each|encoded}",
                                                   "want": {"status": 200, "body": "{each}"}}])"),
                                     service);
  EXPECT_THAT(outcome.detail, HasSubstr(R"(step 1, GET /{each|encoded}: for "c": body: wanted "c", got "?")"));
  EXPECT_THAT(service.asked(), ::testing::IsSupersetOf({"GET /a%20b", "GET /c"}));
}

TEST(RunCase, GoesOnAfterADifferenceOfForm) {
  ScriptedService service({kMade, {.status = 200, .body = "x"}, {.status = 200, .body = "y"}, kGone});
  const Outcome outcome = RunAgainst(
      CaseOf(R"("steps": [{"request": "DELETE /o", "want": {"status": [200, 204]}, "form": {"status": 204, "body": ""}},
                          {"request": "GET /o", "want": {"status": 200}, "form": {"body": "y"}}])"),
      service);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
  EXPECT_THAT(outcome.form, ElementsAre("step 1, DELETE /o: status: wanted 204, got 200"));
}

TEST(RunCase, SkipsACaseWithUnmetNeeds) {
  const Case needs_token =
      CaseOf(R"("needs": ["access_token"], "steps": [{"request": "GET /", "want": {"status": 200}}])");
  ScriptedService silent({Response{.status = 500}});
  EXPECT_EQ(RunAgainst(needs_token, silent).kind, Outcome::Kind::kSkipped);
  EXPECT_THAT(silent.asked(), ::testing::IsEmpty());
  ScriptedService service({kMade, {.status = 200}, kGone});
  EXPECT_EQ(RunAgainst(needs_token, service, nullptr, /*has_token=*/true).kind, Outcome::Kind::kPassed);
}

TEST(RunCase, ProbesNeededTargets) {
  const Case subject = CaseOf(R"("needs": ["/_health"], "steps": [{"request": "GET /", "want": {"status": 200}}])");
  ScriptedService without({Response{.status = 404}});
  EXPECT_EQ(RunAgainst(subject, without).detail, "needs /_health");
  ScriptedService with({{.status = 200}, kMade, {.status = 200}, kGone});
  EXPECT_EQ(RunAgainst(subject, with).kind, Outcome::Kind::kPassed);
}

TEST(RunCase, WaitsOutThrottling) {
  ScriptedService service({{.status = 429}, kMade, {.status = 429}, {.status = 429}, {.status = 200}, kGone});
  std::vector<int> waits;
  const Outcome outcome =
      RunAgainst(CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])"), service, &waits);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
  EXPECT_THAT(waits, ElementsAre(1, 1, 2));
}

TEST(RunCase, FailsForEndlessThrottling) {
  ScriptedService service({kMade, {.status = 429}});
  std::vector<int> waits;
  const Outcome outcome =
      RunAgainst(CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])"), service, &waits);
  EXPECT_THAT(outcome.detail, HasSubstr("status: wanted 200, got 429"));
  EXPECT_THAT(std::vector<int>(waits.begin(), waits.begin() + 5), ElementsAre(1, 2, 4, 8, 16));
}

TEST(RunCase, AcceptsAnExpectedThrottling) {
  ScriptedService service({kMade, {.status = 429}, kGone});
  std::vector<int> waits;
  EXPECT_EQ(RunAgainst(CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 429}}])"), service, &waits).kind,
            Outcome::Kind::kPassed);
  EXPECT_THAT(waits, ::testing::IsEmpty());
}

// A case that passes against a service that does nothing checks nothing.
TEST(EmbeddedCases, FailAgainstAServiceThatAlwaysAnswersTheSame) {
  const auto cases = LoadEmbeddedCases();
  ASSERT_TRUE(cases) << cases.error();
  for (const int status : {200, 204, 400, 404, 412}) {
    for (const Case& subject : *cases) {
      ScriptedService service({kMade, {.status = status, .body = "{}"}});
      const Outcome outcome = RunAgainst(subject, service, nullptr, /*has_token=*/true);
      EXPECT_EQ(outcome.kind, Outcome::Kind::kFailed) << subject.name << " when all is answered " << status;
    }
  }
}

TEST(RunSuite, PrintsALinePerCaseWithoutTheToken) {
  ScriptedService transport({kMade, {.status = 200, .body = "s3cret"}, kGone, kMade, {.status = 200}, kGone});
  const Service service{.transport = transport, .endpoint = "http://host:1", .project = "p", .sleep = [](auto) {}};
  Case failing = CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200, "body": "x"}}])");
  Case passing = CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])");
  Case skipped = CaseOf(R"("needs": ["access_token"], "steps": [{"request": "GET /", "want": {"status": 200}}])");
  failing.name = "f/Failing";
  std::ostringstream out;
  std::ostringstream errors;
  const SuiteRun run{.bucket_stem = "b",
                     .redact = [](std::string text) { return Redact(std::move(text), "s3cret"); },
                     .is_interrupted = [] { return false; }};
  const Tally tally = RunSuite(ChecksOf({failing, passing, skipped}), One(service), run, out, errors).tally;
  EXPECT_EQ(Summary(tally), "1 passed, 1 failed, 1 skipped");
  EXPECT_EQ(out.str(),
            "FAIL f/Failing: step 1, GET /: body: wanted \"x\", got \"<token>\"; the answer was 200 \"<token>\"\n"
            "     claim: c\n"
            "     source: s\n"
            "ok   f/A\n"
            "skip f/A: needs access_token\n");
  EXPECT_EQ(errors.str(), "");
}

TEST(RunSuite, SkipsTheRestAfterAnInterruption) {
  ScriptedService transport({kMade, {.status = 200}, kGone});
  const Service service{.transport = transport, .endpoint = "http://host:1", .project = "p", .sleep = [](auto) {}};
  const Case each = CaseOf(R"("steps": [{"request": "GET /", "want": {"status": 200}}])");
  const SuiteRun run{.bucket_stem = "b", .is_interrupted = [&] { return !transport.asked().empty(); }};
  std::ostringstream out;
  const SuiteResult result = RunSuite(ChecksOf({each, each, each}), One(service), run, out, out);
  EXPECT_EQ(Summary(result.tally), "1 passed, 0 failed, 2 skipped");
  EXPECT_TRUE(result.outcomes[2].was_not_reached);
  EXPECT_EQ(transport.asked().back(), "DELETE /storage/v1/b/b-1");
}

TEST(RunSuite, CountsLeftoversAndThrowingChecks) {
  const std::vector<Check> checks = {
      {.name = "f/Leaves",
       .claim = "c",
       .run = [](const Service&, const std::string&) { return Outcome{.leftover = "the bucket stays"}; }},
      {.name = "f/Throws",
       .claim = "c",
       .run = [](const Service&, const std::string&) -> Outcome { throw std::bad_alloc(); }},
      {.name = "f/Passes", .claim = "c", .run = [](const Service&, const std::string&) { return Outcome{}; }}};
  ScriptedService transport({kMade});
  std::ostringstream out;
  std::ostringstream errors;
  const Service service{.transport = transport};
  const Tally tally =
      RunSuite(checks, One(service), {.bucket_stem = "b", .is_interrupted = [] { return false; }}, out, errors).tally;
  EXPECT_EQ(Summary(tally), "2 passed, 1 failed, 0 skipped");
  EXPECT_EQ(tally.left_behind, 2);
  EXPECT_THAT(errors.str(), HasSubstr("the bucket stays\n"));
  EXPECT_THAT(errors.str(), HasSubstr("b-2"));
}

}  // namespace
}  // namespace gcsflux::conformance
