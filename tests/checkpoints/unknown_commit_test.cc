// A commit with an unknown outcome: nothing is deleted, and nothing is sent again.
#include <gmock/gmock.h>

#include "checkpoints/run_fixture.h"
#include "gcsflux/emulator/journal_queries.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::ValueOf;

class UnknownCommitTest : public testing::RunFixture {
 protected:
  static constexpr auto kManifests = "runs/7/step-*.json";

  // The manifest is stored and the answer lost. The read-back, the `nth` GET, has this status.
  void LoseTheManifestsAnswer(int status, std::uint64_t nth) {
    emulator_.faults().Load(
        {.rules = {{.name = "lost",
                    .match = {.operation = "storage.objects.insert", .object_glob = kManifests},
                    .action = {.type = "loseAnswer"},
                    .limits = {.count = 1}},
                   {.name = "look",
                    .match = {.operation = "storage.objects.get", .object_glob = kManifests, .nth = nth},
                    .action = {.type = "status", .status = status},
                    .limits = {.count = 1}}}});
  }
  void ExpectBothFired() {
    EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
    EXPECT_EQ(emulator_.faults().Fired("look"), 1U);
    emulator_.faults().Clear();
  }
  [[nodiscard]] std::size_t ManifestsSent(std::int64_t step) const {
    return emulator::FindCommits(emulator_.journal(), "bkt", "runs/7/step-0000000" + std::to_string(step) + ".json")
        .size();
  }
};

TEST_F(UnknownCommitTest, KeepsTheFilesOfAStepThatMayExist) {
  StepWriter writer = *Start();
  std::int64_t step = 1;
  for (const int status : {400, 401, 403}) {
    LoseTheManifestsAnswer(status, 1);
    const Error error = ErrorOf(Save(writer, step));
    ExpectBothFired();
    EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
    EXPECT_EQ(error.http_status, status) << error.message;
    EXPECT_EQ(ValueOf(Load(ValueOf(Steps().Read(step)))), TextOfStep(step));
    EXPECT_EQ(ManifestsSent(step), 1U);
    ++step;
  }
}

TEST_F(UnknownCommitTest, KeepsTheFilesOfAReplacedStep) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 1).ok());
  LoseTheManifestsAnswer(403, 2);
  const Error error = ErrorOf(Save(writer, 1, CommitMode::kReplace, "another"));
  ExpectBothFired();
  EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
  EXPECT_EQ(ValueOf(Load(ValueOf(Steps().Read(1)))), "another");
  EXPECT_EQ(ManifestsSent(1), 2U) << "of the first save, and of the second one";
}

// The refusal of a later attempt does not tell that this run's manifest was never there.
TEST_F(UnknownCommitTest, IsNotReportedAsAnExistingStep) {
  StepWriter writer = *Start();
  for (const CommitMode mode : {CommitMode::kCreate, CommitMode::kReplace}) {
    emulator_.faults().Load(
        {.rules = {{.name = "reset",
                    .match = {.operation = "storage.objects.insert", .object_glob = kManifests},
                    .action = {.type = "reset"},
                    .limits = {.count = 1}},
                   {.name = "rival",
                    .match = {.operation = "storage.objects.insert", .object_glob = kManifests, .nth = 2},
                    .action = {.type = "status", .status = 412},
                    .limits = {.count = 1}}}});
    const Error error = ErrorOf(Save(writer, 1, mode));
    EXPECT_EQ(emulator_.faults().Fired("reset"), 1U);
    EXPECT_EQ(emulator_.faults().Fired("rival"), 1U);
    emulator_.faults().Clear();
    EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed) << error.message;
    EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
    EXPECT_EQ(ManifestsSent(1), 0U);
  }
}

TEST_F(UnknownCommitTest, IsNotReportedForARefusal) {
  StepWriter writer = *Start();
  Fail({.operation = "storage.objects.insert", .object_glob = kManifests}, {.type = "status", .status = 403}, 1);
  const Error error = ErrorOf(Save(writer, 1));
  ExpectFired();
  EXPECT_EQ(error.outcome, WriteOutcome::kNotStored) << error.message;
  EXPECT_EQ(Names(), std::vector<std::string>{"runs/7/writer"}) << "its file is deleted";
}

}  // namespace
}  // namespace gcsflux
