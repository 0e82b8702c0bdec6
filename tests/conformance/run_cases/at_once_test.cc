#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "read_cases/parse_cases.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {
namespace {

using ::testing::HasSubstr;

/// What several connections share: the first `winners` requests are answered with 200, the others with 412.
struct Race {
  explicit Race(int places) : winners(places) {}

  std::atomic<int> winners;
  std::mutex mutex;  // guards what follows
  std::set<std::string> bodies;
};

class RacingConnection : public Transport {
 public:
  explicit RacingConnection(Race& race) : race_(race) {}

  OrError<Response> Send(const Request& request) override {
    if (request.method != "PUT") return Response{.status = request.method == "DELETE" ? 204 : 200};
    const std::scoped_lock lock(race_.mutex);
    race_.bodies.insert(request.body.value_or(""));
    return Response{.status = race_.winners-- > 0 ? 200 : 412, .headers = {{"Won", *request.body}}};
  }

 private:
  Race& race_;
};

Outcome RunRace(Race& race) {
  const auto cases = ParseCases("f.json", R"({"cases": [{"name": "A", "claim": "c", "source": "s", "steps": [
      {"for_each": {"numbers": 1}, "concurrently": {"times": 8, "others": {"status": 412}},
       "request": "PUT /o", "body": "{each}{turn}", "want": {"status": 200}, "save": {"won": {"header": "Won"}}},
      {"request": "GET /{won}", "want": {"status": 200}}]}]})");
  EXPECT_TRUE(cases) << cases.error();
  RacingConnection first(race);
  return RunCase(cases->at(0),
                 {.transport = first, .connect = [&] { return std::make_unique<RacingConnection>(race); }}, "b");
}

TEST(RunAtOnce, PassesIfOneAnswerIsWantedAndTheOthersAreAsNamed) {
  Race race(1);
  const Outcome outcome = RunRace(race);
  EXPECT_EQ(outcome.kind, Outcome::Kind::kPassed) << outcome.detail;
  EXPECT_THAT(race.bodies, ::testing::ElementsAre("00", "01", "02", "03", "04", "05", "06", "07"));
}

TEST(RunAtOnce, FailsIfTwoWin) {
  Race race(2);
  EXPECT_THAT(RunRace(race).detail, HasSubstr("another answer at the same time: status: wanted 412, got 200"));
}

TEST(RunAtOnce, FailsIfNoneWins) {
  Race race(0);
  EXPECT_THAT(RunRace(race).detail, HasSubstr("none of the answers is the wanted one"));
}

TEST(ParseAtOnce, RefusesWhatCannotBe) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("concurrently": {"times": 1, "others": {"status": 412}})", "must be from 2 to 64"},
      {R"("concurrently": {"times": 8})", "others: must be there"},
      {R"("concurrently": 8)", "must be an object"},
      {R"("for_each": {"numbers": 0})", "must be from 1 to 10000"},
  };
  for (const auto& [field, problem] : cases) {
    const std::string step = R"({)" + std::string(field) + R"(, "request": "GET /o", "want": {"status": 200}})";
    const auto parsed =
        ParseCases("f.json", R"({"cases": [{"name": "A", "claim": "c", "source": "s", "steps": [)" + step + R"(]}]})");
    ASSERT_FALSE(parsed) << field;
    EXPECT_THAT(parsed.error(), HasSubstr(problem));
  }
}

}  // namespace
}  // namespace gcsflux::conformance
