// Two programs that write and remove steps of one run at the same time.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "checkpoints/run_fixture.h"
#include "support/after_request.h"
#include "support/fails_with.h"

namespace gcsflux {
namespace {

using testing::AfterRequest;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::ValueOf;

class RivalRunsTest : public testing::RunFixture {
 protected:
  // The run's steps, as a program with this listener sees them.
  [[nodiscard]] CheckpointSteps StepsOf(std::shared_ptr<EventListener> listener) const {
    ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
    options.event_listener = std::move(listener);
    return *CheckpointSteps::Open(*Client::Create(options), kRun);
  }
};

TEST_F(RivalRunsTest, DisplacedRunRemovesNothingByPolicy) {
  StepWriter displaced = *Start();
  ASSERT_TRUE(Save(displaced, 1).ok());
  ASSERT_TRUE(Save(displaced, 2).ok());
  StepWriter writer = *Start(true);
  const CheckpointManifest under_way = ValueOf(Draft(writer, 3, TextOfStep(3)));
  EXPECT_TRUE(testing::FailsWith(displaced.Keep({.last = 1}), ErrorCode::kPreconditionFailed,
                                 HasSubstr("was taken over by run " + writer.identity().id)));
  ASSERT_TRUE(writer.Commit(under_way).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 2, 3));
}

// A step without a manifest has the files that are being saved.
TEST_F(RivalRunsTest, DisplacedRunRemovesNoStep) {
  StepWriter displaced = *Start();
  ASSERT_TRUE(Save(displaced, 1).ok());
  StepWriter writer = *Start(true);
  const CheckpointManifest under_way = ValueOf(Draft(writer, 2, TextOfStep(2)));
  EXPECT_EQ(ErrorOf(displaced.Remove(2)).code, ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(writer.Commit(under_way).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 2));
}

// The run is displaced after its check and before its manifest is stored.
TEST_F(RivalRunsTest, ReportsAPossiblyDamagedStepAfterALateTakeover) {
  std::optional<StepWriter> writer;
  const auto displace = [&] {
    writer.emplace(*Start(true));
    ASSERT_TRUE(writer->Keep({}).ok());
  };
  const auto asked = std::make_shared<AfterRequest>("objects.get", "runs/7/writer");
  StepWriter displaced = *StepWriter::Start(internal::StoreOf(StepsOf(asked)));
  const CheckpointManifest manifest = ValueOf(Draft(displaced, 1, TextOfStep(1)));
  asked->Call(displace);
  const Error error = ErrorOf(displaced.Commit(manifest));
  ASSERT_TRUE(writer) << "it was not displaced";
  EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kPreconditionFailed,
                                 AllOf(HasSubstr("step 1 of gs://bkt/runs/7/ was saved, and may have lost its files"),
                                       HasSubstr("was taken over by run " + writer->identity().id))));
  EXPECT_THAT(Names(), Contains("runs/7/step-00000001.json")) << "another run may use it already";
  ASSERT_TRUE(Save(*writer, 1, CommitMode::kReplace).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(1));
}

TEST_F(RivalRunsTest, TwoRemovingProgramsKeepAStep) {
  StepWriter writer = *Start();
  for (const std::int64_t step : {1, 2}) ASSERT_TRUE(Save(writer, step).ok());
  bool has_removed = false;
  const auto remove_other = [&] { has_removed = Steps().Remove(2).ok(); };
  const auto listed = std::make_shared<AfterRequest>("objects.list", "gs://bkt");
  const CheckpointSteps steps = StepsOf(listed);
  ASSERT_TRUE(steps.List().ok()) << "the manifests are known then";
  listed->Call(remove_other);
  const RemovalReport report = ValueOf(steps.Keep({.last = 1}));
  ASSERT_TRUE(has_removed);
  ASSERT_EQ(report.not_removed.size(), 1U);
  EXPECT_THAT(report.not_removed[0].problem->message, HasSubstr("another process has removed all others"));
  EXPECT_THAT(WholeSteps(), ElementsAre(1));
}

TEST_F(RivalRunsTest, WriterSerialisesItsRemovals) {
  std::jthread remover;
  std::optional<StepWriter> writer;
  bool is_refused = false;
  const auto remove_other = [&] { remover = std::jthread([&] { is_refused = !writer->Remove(2).ok(); }); };
  const auto listed = std::make_shared<AfterRequest>("objects.list", "gs://bkt");
  writer.emplace(*StepWriter::Start(internal::StoreOf(StepsOf(listed))));
  for (const std::int64_t step : {1, 2}) ASSERT_TRUE(Save(*writer, step).ok());
  listed->Call(remove_other);
  const RemovalReport report = ValueOf(writer->Keep({.last = 1}));
  remover.join();
  EXPECT_THAT(report.removed, ElementsAre(1));
  EXPECT_TRUE(is_refused) << "it is the last one then";
  EXPECT_THAT(WholeSteps(), ElementsAre(2));
}

TEST_F(RivalRunsTest, DisplacedRunRemovesNoStepInARewind) {
  const auto listed = std::make_shared<AfterRequest>("objects.list", "gs://bkt");
  StepWriter displaced = *StepWriter::Start(internal::StoreOf(StepsOf(listed)));
  for (const std::int64_t step : {100, 300}) ASSERT_TRUE(Save(displaced, step).ok());
  std::optional<StepWriter> writer;
  listed->Call([&] { writer.emplace(*Start(true)); });
  const Error error = ErrorOf(Save(displaced, 200, CommitMode::kRewind));
  ASSERT_TRUE(writer.has_value());
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(error.outcome, WriteOutcome::kStored);
  EXPECT_THAT(WholeSteps(), ElementsAre(100, 200, 300));
}

// The step is replaced between the read of its generation and the manifest's upload, which is then retried.
TEST_F(RivalRunsTest, DisplacedRunKeepsAReplacedStep) {
  const auto looked = std::make_shared<AfterRequest>("objects.get", "step-00000001.json");
  StepWriter displaced = *StepWriter::Start(internal::StoreOf(StepsOf(looked)));
  ASSERT_TRUE(Save(displaced, 1).ok());
  std::optional<StepWriter> writer;
  bool has_replaced = false;
  looked->Call([&] {
    writer.emplace(*Start(true));
    has_replaced = Save(*writer, 1, CommitMode::kReplace, "theirs").ok();
  });
  const Error error = ErrorOf(Save(displaced, 1, CommitMode::kReplace, "ours"));
  ASSERT_TRUE(has_replaced);
  EXPECT_EQ(error.code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(error.outcome, WriteOutcome::kNotStored);
  EXPECT_EQ(ValueOf(Load(ValueOf(Steps().Read(1)))), "theirs");
}

}  // namespace
}  // namespace gcsflux
