// Which objects of a run are read, and which are removed.
#include "gcsflux/checkpoints/checkpoint_steps.h"

#include <gmock/gmock.h>

#include "checkpoints/run_fixture.h"
#include "support/fails_with.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunFixture;
using testing::ValueOf;

class CheckpointStepsTest : public RunFixture {
 protected:
  void SetUp() override {
    RunFixture::SetUp();
    auto writer = Start();
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    writer_.emplace(*std::move(writer));
    for (const std::int64_t step : {10, 20, 30}) ASSERT_TRUE(Save(*writer_, step).ok());
  }
  [[nodiscard]] std::string FileOf(std::int64_t step) const {
    return "runs/7/" + ValueOf(Steps().Read(step)).files.front().name;
  }

  std::optional<StepWriter> writer_;
};

TEST_F(CheckpointStepsTest, LoadsTheNewestStep) {
  const Step latest = ValueOf(Steps().Latest());
  EXPECT_EQ(latest.number, 30);
  EXPECT_THAT(latest.skipped, IsEmpty());
  EXPECT_EQ(ValueOf(Load(latest)), "state of step 30");
  EXPECT_EQ(ValueOf(Load(Stored(10))), "state of step 10");
}

TEST_F(CheckpointStepsTest, SkipsDamagedAndUnfinishedStepsWithTheReason) {
  Put(LeftFile(40), "a save that was killed");
  ASSERT_TRUE(Save(*writer_, 50).ok());
  Delete(FileOf(50));
  ASSERT_TRUE(Save(*writer_, 60).ok());
  Put(FileOf(60), "other bytes of the file");
  Put("runs/7/step-00000070.json", "{\"gcsflux_checkpoint\":1");
  Put("runs/7/step-00000080.json", "{\"gcsflux_checkpoint\":99}");
  const Step latest = ValueOf(Steps().Latest());
  EXPECT_EQ(latest.number, 30);
  std::string reasons;
  for (const Step& skipped : latest.skipped)
    reasons += std::to_string(skipped.number) + ": " + skipped.problem->message + "\n";
  EXPECT_THAT(reasons, AllOf(HasSubstr("80: gs://bkt/runs/7/step-00000080.json: its format has version 99"),
                             HasSubstr("70: gs://bkt/runs/7/step-00000070.json: this is no JSON"),
                             HasSubstr("60: step 60: gs://bkt/runs/7/step-00000060/"), HasSubstr("50: step 50"),
                             HasSubstr("40: step 40 was not finished")));
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 20, 30));
}

TEST_F(CheckpointStepsTest, FailsIfNoStepIsWhole) {
  for (const std::int64_t step : {10, 20, 30}) Delete(FileOf(step));
  EXPECT_TRUE(testing::FailsWith(Steps().Latest(), ErrorCode::kUndecodable,
                                 AllOf(HasSubstr("step-00000030/"), HasSubstr("step-00000010/"))));
}

TEST_F(CheckpointStepsTest, ReportsNoLatestStepWhileTheServiceFails) {
  Fail({.operation = "storage.objects.get", .object_prefix = "runs/7/step-00000030.json"},
       {.type = "status", .status = 503});
  EXPECT_EQ(ErrorOf(Steps().Latest()).code, ErrorCode::kUnavailable);
  EXPECT_EQ(ErrorOf(Steps().List()).code, ErrorCode::kUnavailable);
  ExpectFired();
}

TEST_F(CheckpointStepsTest, ReadsOnlyTheGenerationsOfTheManifest) {
  const StoredStep step = Stored(20);
  Put(FileOf(20), "state of step 99");
  EXPECT_FALSE(Load(step).ok());
}

TEST_F(CheckpointStepsTest, RefusesARenamedManifest) {
  ASSERT_TRUE(client_.CopyObject({"bkt", "runs/7/step-00000010.json"}, {"bkt", "runs/7/step-00000090.json"}).ok());
  EXPECT_THAT(ErrorOf(Steps().Read(90)).message, HasSubstr("is the manifest of step 10"));
  EXPECT_EQ(ErrorOf(Steps().Read(91)).code, ErrorCode::kNotFound);
}

TEST_F(CheckpointStepsTest, KeepsOtherObjects) {
  const std::vector<std::string> others = {"runs/7/notes.txt", "runs/7/step-1.json", "runs/7/step-00000010/sub/x",
                                           "runs/7/other/step-00000010.json", "runs/70/step-00000010.json"};
  for (const std::string& name : others) Put(name, "mine");
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 20, 30));
  ASSERT_TRUE(Steps().Remove(10).ok());
  ASSERT_TRUE(Steps().CollectGarbage(std::chrono::seconds(0)).ok());
  for (const std::string& name : others) EXPECT_THAT(Names("runs/"), Contains(name));
  EXPECT_THAT(WholeSteps(), ElementsAre(20, 30));
}

// An evaluation beside a step's file, and checkpoints of other programs in such folders.
TEST_F(CheckpointStepsTest, KeepsForeignObjectsInFoldersOfSteps) {
  const std::string digits(32, 'a');
  const std::vector<std::string> foreign = {"runs/7/step-00000010/eval.json",
                                            "runs/7/step-00000010/" + digits,
                                            "runs/7/step-00000040/model.safetensors",
                                            "runs/7/step-00000040/" + digits + "-",
                                            "runs/7/step-00000040/A" + digits + "-x",
                                            "runs/7/step-00000040/" + digits + "-x/y",
                                            "runs/7/step-00000040/G" + std::string(31, 'a') + "-state.pt"};
  for (const std::string& name : foreign) Put(name, "mine");
  Put(LeftFile(50), "a save that was killed");
  for (const Step& step : ValueOf(Steps().List())) EXPECT_NE(step.number, 40) << "it is no step";
  const RemovalReport kept = ValueOf(writer_->Keep({.last = 1}));
  EXPECT_THAT(kept.removed, ElementsAre(10, 20));
  EXPECT_EQ(kept.foreign, foreign.size());
  EXPECT_THAT(Names(), Not(Contains(LeftFile(50)))) << "its name is ours";
  EXPECT_EQ(ValueOf(Steps().Keep({.last = 1}, true)).foreign, foreign.size());
  const RemovalReport collected = ValueOf(Steps().CollectGarbage(std::chrono::seconds(0)));
  EXPECT_EQ(collected.files, 0U);
  EXPECT_EQ(collected.foreign, foreign.size());
  Put("runs/7/step-00000040.json", "{");
  ASSERT_TRUE(Steps().Remove(40).ok()) << "its manifest goes";
  for (const std::string& name : foreign) EXPECT_THAT(Names(), Contains(name));
  EXPECT_THAT(Names(), Not(Contains("runs/7/step-00000040.json")));
}

TEST_F(CheckpointStepsTest, RemovesAllFilesOfAStep) {
  const std::string file = FileOf(20);
  ASSERT_TRUE(Steps().Remove(20).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 30));
  EXPECT_THAT(Names(), Not(Contains(file)));
  EXPECT_EQ(ErrorOf(Steps().Remove(20)).code, ErrorCode::kNotFound);
}

TEST_F(CheckpointStepsTest, RemovesTheManifestFirst) {
  // The files remain, because they cannot be deleted: the step is removed nevertheless, and not damaged.
  Fail({.operation = "storage.objects.delete", .object_prefix = "runs/7/step-00000020/"},
       {.type = "status", .status = 503});
  EXPECT_EQ(ErrorOf(Steps().Remove(20)).code, ErrorCode::kUnavailable);
  ExpectFired();
  EXPECT_THAT(Names(), Not(Contains("runs/7/step-00000020.json")));
  EXPECT_EQ(ValueOf(Steps().CollectGarbage(std::chrono::seconds(0))).files, 1U);
  EXPECT_EQ(Names().size(), 6U) << "two steps of two objects, the writer and the hint";
}

TEST_F(CheckpointStepsTest, KeepsTheLastWholeStep) {
  Delete(FileOf(30));
  ASSERT_TRUE(Steps().Remove(20).ok());
  EXPECT_TRUE(testing::FailsWith(Steps().Remove(10), ErrorCode::kPreconditionFailed,
                                 HasSubstr("step 10 is the last whole step")));
  ASSERT_TRUE(Steps().Remove(30).ok()) << "it is damaged";
  EXPECT_THAT(WholeSteps(), ElementsAre(10));
}

TEST_F(CheckpointStepsTest, KeepsFilesOfOtherManifests) {
  const StepFile shared = ValueOf(Steps().Read(10)).files.front();
  auto manifest = ValueOf(Draft(*writer_, 40, "the rest"));
  manifest.files.push_back(shared);
  ASSERT_TRUE(writer_->Commit(manifest).ok());
  ASSERT_TRUE(Steps().Remove(10).ok());
  EXPECT_THAT(Names(), Contains("runs/7/" + shared.name));
  EXPECT_THAT(WholeSteps(), ElementsAre(20, 30, 40));
  ASSERT_TRUE(Steps().Remove(40).ok());
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + shared.name)));
}

TEST_F(CheckpointStepsTest, RemovesNoFileWhileAManifestIsUnreadable) {
  const std::string file = FileOf(20);
  Put("runs/7/step-00000090.json", "{");
  EXPECT_EQ(ErrorOf(Steps().CollectGarbage()).code, ErrorCode::kUndecodable);
  EXPECT_THAT(ErrorOf(Steps().Remove(20)).message, HasSubstr("the manifest of step 90 cannot be read"));
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 20, 30)) << "nothing was removed";
  ASSERT_TRUE(Steps().Remove(90).ok());
  Delete("runs/7/step-00000020.json");
  EXPECT_EQ(ValueOf(Steps().CollectGarbage(std::chrono::seconds::max())).young, 1U) << "as long as there is time";
  EXPECT_THAT(Names(), Contains(file));
  EXPECT_EQ(ValueOf(Steps().CollectGarbage(std::chrono::seconds(0))).files, 1U);
  EXPECT_THAT(Names(), Not(Contains(file)));
}

TEST_F(CheckpointStepsTest, KeepsAllStepsWhileAManifestIsUnreadable) {
  Put("runs/7/step-00000090.json", "{");
  const auto before = Names();
  for (const bool is_dry_run : {true, false}) {
    const RemovalReport report = ValueOf(Steps().Keep({.last = 1}, is_dry_run));
    EXPECT_THAT(report.removed, IsEmpty());
    ASSERT_EQ(report.not_removed.size(), 2U);
    EXPECT_EQ(report.not_removed[0].number, 10);
    EXPECT_THAT(report.not_removed[0].problem->message, HasSubstr("the manifest of step 90 cannot be read"));
    EXPECT_EQ(Names(), before) << "they still exist, as the report says";
  }
}

TEST_F(CheckpointStepsTest, RemovesStepsWithUnreadableManifestsOneByOne) {
  Put("runs/7/step-00000080.json", "{");
  Put("runs/7/step-00000090.json", "{");
  EXPECT_THAT(ErrorOf(Steps().Remove(80)).message, HasSubstr("the manifest of step 90 cannot be read"));
  EXPECT_TRUE(Steps().Remove(90).ok());
  EXPECT_THAT(ValueOf(Steps().Keep({.last = 1})).removed, ElementsAre(10, 20));
}

TEST_F(CheckpointStepsTest, AppliesTheRetentionPolicy) {
  EXPECT_THAT(ValueOf(Steps().Keep({.last = 2}, true)).removed, ElementsAre(10));
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 20, 30));
  EXPECT_THAT(ValueOf(Steps().Keep({.last = 1, .best = 1, .metric = "loss"})).removed, ElementsAre(20));
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 30));
  EXPECT_EQ(ErrorOf(Steps().Keep({.every = 0})).code, ErrorCode::kInvalidArgument);
}

TEST_F(CheckpointStepsTest, ReportsAMissingDeletePermissionOnce) {
  Fail({.operation = "storage.objects.delete"}, {.type = "status", .status = 403});
  const RemovalReport report = ValueOf(Steps().Keep({.last = 1}));
  EXPECT_THAT(report.removed, IsEmpty());
  ASSERT_EQ(report.not_removed.size(), 1U);
  EXPECT_EQ(report.not_removed[0].problem->code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  ExpectFired();
  EXPECT_THAT(WholeSteps(), ElementsAre(10, 20, 30));
}

TEST_F(CheckpointStepsTest, CollectsGarbageByTheServicesClock) {
  Put(LeftFile(40), "a save that was killed");
  EXPECT_EQ(ValueOf(Steps().CollectGarbage()).files, 0U);
  emulator_.clock().Advance(std::chrono::hours(25));
  EXPECT_EQ(ValueOf(Steps().CollectGarbage()).files, 0U) << "nothing shows that it is old";
  ASSERT_TRUE(Save(*writer_, 50).ok());
  EXPECT_EQ(ValueOf(Steps().CollectGarbage(std::chrono::hours(24), /*is_dry_run=*/true)).files, 1U);
  const RemovalReport report = ValueOf(Steps().CollectGarbage());
  EXPECT_EQ(report.files, 1U);
  EXPECT_EQ(report.bytes, 22U);
  EXPECT_EQ(ValueOf(Steps().CollectGarbage()).files, 0U);
}

// Each fault at each stage of a load: the loaded bytes are right, or an error gives the reason.
TEST_F(CheckpointStepsTest, LoadsTheRightBytesOrFailsUnderEveryFault) {
  struct Stage {
    std::string operation;
    std::string object;
  };
  for (const Stage& stage : {Stage{"storage.objects.list", ""}, Stage{"storage.objects.get", "runs/7/step-*.json"},
                             Stage{"storage.objects.get", "runs/7/step-*/*"}}) {
    emulator::FaultMatch match{.operation = stage.operation};
    if (!stage.object.empty()) match.object_glob = stage.object;
    for (const emulator::FaultAction& action :
         {emulator::FaultAction{.type = "status", .status = 403},
          emulator::FaultAction{.type = "status", .status = 429},
          emulator::FaultAction{.type = "status", .status = 503}, emulator::FaultAction{.type = "reset"},
          emulator::FaultAction{.type = "loseAnswer"}, emulator::FaultAction{.type = "cut", .after_bytes = 5},
          emulator::FaultAction{.type = "htmlError", .status = 502}}) {
      for (const std::uint64_t count : {1U, 100U}) {
        SCOPED_TRACE(stage.operation + " " + stage.object + " " + action.type + " x " + std::to_string(count));
        Fail(match, action, count);
        const auto latest = Steps().Latest();
        const auto text = latest.ok() ? Load(*latest) : Result<std::string>(latest.error());
        ExpectFired();
        if (text.ok()) {
          EXPECT_EQ(latest->number, 30) << "an older step is no answer to a service that fails";
          EXPECT_EQ(*text, "state of step 30");
        } else {
          EXPECT_FALSE(text.error().message.empty());
          EXPECT_NE(text.error().code, ErrorCode::kUndecodable) << text.error().message;
        }
      }
    }
  }
}

TEST_F(CheckpointStepsTest, ReadsEachManifestOnce) {
  const CheckpointSteps steps = Steps();
  ASSERT_TRUE(steps.List().ok());
  const std::uint64_t before = client_.counters().class_b_operations;
  ASSERT_TRUE(steps.List().ok());
  EXPECT_EQ(client_.counters().class_b_operations, before);
}

TEST_F(CheckpointStepsTest, FindsTheLatestInThreeRequestsBesideTheHint) {
  Delete("runs/7/latest");
  const std::uint64_t before = client_.counters().requests;
  ASSERT_TRUE(Steps().Latest().ok());
  EXPECT_EQ(client_.counters().requests - before, 4U) << "no hint; a listing, a manifest, a question for its file";
}

}  // namespace
}  // namespace gcsflux
