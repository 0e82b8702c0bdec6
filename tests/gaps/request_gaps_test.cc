// Each operation of more than one request, with an event between each two of them: a rival that overwrites or deletes,
// a lost answer, both, a stop. It returns right bytes of one generation or a clear error; no foreign object is lost,
// and no temporary one remains. Uploads: integration/upload_gaps_test.cc; the command: cli/command_gaps_test.cc.
// Operations of one request are in integration/fault_matrix_test.cc.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "gaps/gap_operation.h"
#include "gcsflux/emulator/emulator.h"
#include "support/after_nth_request.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using testing::GapOperation;
using testing::GapWorld;

enum class Between { kNothing, kOverwrite, kDelete, kStop };

class RequestGapsTest : public ::testing::TestWithParam<GapOperation> {
 protected:
  struct Cell {
    Between event = Between::kNothing;
    bool loses_answer = false;
  };

  // Once for each gap between two requests, and after the last one.
  void ForEachGap(const Cell& cell) {
    int gap = 1;
    while (RunCell(cell, gap) && !HasFailure()) ++gap;
    EXPECT_TRUE(HasFailure() || gap >= 3) << "there was no gap";
    // Several parallel requests may arrive in another order than they end.
    EXPECT_TRUE(!cell.loses_answer || HasFailure() || losses_ + 2 >= gap) << losses_ << " losses";
  }

 private:
  // Whether this gap exists: then the event has happened in it.
  bool RunCell(const Cell& cell, int gap) {
    SCOPED_TRACE("after request " + std::to_string(gap));
    emulator_.Reset();
    EXPECT_TRUE(rival_.InsertBucket(testing::kGapBucket).ok());
    GapWorld world(emulator_, rival_);
    GetParam().prepare(world);
    if (cell.loses_answer) LoseAnswerOf(gap);
    std::stop_source stop;
    const auto listener = std::make_shared<testing::AfterNthRequest>(gap, [&] {
      if (cell.event == Between::kOverwrite) GetParam().overwrite(world);
      if (cell.event == Between::kDelete) GetParam().remove(world);
      if (cell.event == Between::kStop) stop.request_stop();
    });
    const Result<void> done = GetParam().run(world, MakeClient(listener), stop.get_token());
    const auto& faults = emulator_.faults();
    if (listener->was_called() && faults.Fired("lost") + faults.Fired("cut") > 0) ++losses_;
    emulator_.faults().Clear();
    if (!done) ExpectClear(cell, done.error());
    world.ExpectKept();
    if (GetParam().check) GetParam().check(world);
    return listener->was_called();
  }

  // A refusal is not lost, but cut.
  void LoseAnswerOf(int number) {
    const emulator::FaultMatch match{.operation = GetParam().loses_only, .nth = static_cast<std::uint64_t>(number)};
    emulator_.faults().Add({.name = "lost", .match = match, .action = {.type = "loseAnswer"}, .limits = {.count = 1}});
    emulator_.faults().Add(
        {.name = "cut", .match = match, .action = {.type = "cut", .after_bytes = 0}, .limits = {.count = 1}});
  }

  static void ExpectClear(const Cell& cell, const Error& error) {
    EXPECT_FALSE(error.message.empty());
    const std::string about = std::string(ErrorCodeName(error.code)) + ": " + error.message;
    if (cell.event == Between::kStop) {
      EXPECT_EQ(error.code, ErrorCode::kCancelled) << about;
      return;
    }
    const bool is_rival =
        cell.event == Between::kDelete || (cell.event == Between::kOverwrite && !GetParam().survives_overwriting);
    if (cell.loses_answer && GetParam().reports_lost_writes && error.outcome == WriteOutcome::kUnknown) return;
    ASSERT_TRUE(is_rival) << about;
    static const std::set<ErrorCode> kOfRivals = {ErrorCode::kNotFound, ErrorCode::kAborted,
                                                  ErrorCode::kPreconditionFailed, ErrorCode::kAlreadyExists};
    const bool is_unknown = cell.loses_answer && error.code == ErrorCode::kOutcomeUnknown;
    EXPECT_TRUE(kOfRivals.contains(error.code) || GetParam().errors.contains(error.code) || is_unknown) << about;
  }

  [[nodiscard]] Client MakeClient(std::shared_ptr<EventListener> listener = {}) const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                         .max_delay = std::chrono::milliseconds(2)}),
                            .hedge_budget = 0,  // Requests are counted.
                            .event_listener = std::move(listener)});
  }

  int losses_ = 0;
  emulator::Emulator emulator_{{.virtual_buckets = {{.name = testing::kManyBucket, .count = testing::kManyObjects}},
                                .idempotency_window = std::chrono::seconds(0)}};
  const Client rival_ = MakeClient();
};

TEST_P(RequestGapsTest, SurvivesALostAnswer) { ForEachGap({.loses_answer = true}); }
TEST_P(RequestGapsTest, DoesNotMixInARivalsWrite) { ForEachGap({.event = Between::kOverwrite}); }
TEST_P(RequestGapsTest, ReportsARivalsDeletion) { ForEachGap({.event = Between::kDelete}); }
TEST_P(RequestGapsTest, DoesNotMixInARivalsWriteAfterALostAnswer) {
  ForEachGap({.event = Between::kOverwrite, .loses_answer = true});
}
TEST_P(RequestGapsTest, ReportsARivalsDeletionAfterALostAnswer) {
  ForEachGap({.event = Between::kDelete, .loses_answer = true});
}
TEST_P(RequestGapsTest, StopsOnRequest) { ForEachGap({.event = Between::kStop}); }

std::string NameOf(const ::testing::TestParamInfo<GapOperation>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Objects, RequestGapsTest, ::testing::ValuesIn(testing::ObjectOperations()), NameOf);
INSTANTIATE_TEST_SUITE_P(Downloads, RequestGapsTest, ::testing::ValuesIn(testing::DownloadOperations()), NameOf);
INSTANTIATE_TEST_SUITE_P(Listings, RequestGapsTest, ::testing::ValuesIn(testing::ListingOperations()), NameOf);
INSTANTIATE_TEST_SUITE_P(Runs, RequestGapsTest, ::testing::ValuesIn(testing::RunOperations()), NameOf);
INSTANTIATE_TEST_SUITE_P(Ranks, RequestGapsTest, ::testing::ValuesIn(testing::RankOperations()), NameOf);

}  // namespace
}  // namespace gcsflux
