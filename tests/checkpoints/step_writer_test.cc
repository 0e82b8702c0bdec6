// One writer, which commits files by a manifest.
#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <latch>
#include <memory>
#include <stop_token>
#include <thread>

#include "checkpoints/run_fixture.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/emulator/journal_queries.h"
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
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunFixture;
using ::testing::StartsWith;
using testing::ValueOf;

using StepWriterTest = RunFixture;

TEST_F(StepWriterTest, MakesAStepVisibleOnlyByItsManifest) {
  StepWriter writer = *Start();
  const CheckpointManifest manifest = ValueOf(Draft(writer, 1, "bytes"));
  EXPECT_THAT(WholeSteps(), IsEmpty());
  EXPECT_EQ(ErrorOf(Steps().Latest()).code, ErrorCode::kNotFound);
  const StoredStep stored = ValueOf(writer.Commit(manifest));
  EXPECT_EQ(stored.manifest.run, writer.identity().id);
  EXPECT_EQ(Stored(1).manifest, stored.manifest);
  EXPECT_EQ(ValueOf(Steps().Read(1)).generation, stored.generation);
}

TEST_F(StepWriterTest, WritesTheManifestLast) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 1).ok());
  std::vector<std::string> stored;
  for (const auto& request : emulator_.journal()) {
    if (request.method == "POST" && !request.object.empty()) stored.push_back(request.object);
  }
  ASSERT_EQ(stored.size(), 4U);
  EXPECT_THAT(stored, ElementsAre("runs/7/writer", StartsWith("runs/7/step-00000001/"), "runs/7/step-00000001.json",
                                  "runs/7/latest"))
      << "the hint is not part of the step";
}

TEST_F(StepWriterTest, RefusesAnExistingStepAndKeepsIt) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 1).ok());
  EXPECT_TRUE(testing::FailsWith(Save(writer, 1, CommitMode::kCreate, "another"), ErrorCode::kAlreadyExists,
                                 AllOf(HasSubstr("step 1 of gs://bkt/runs/7/"), HasSubstr(writer.identity().id))));
  EXPECT_EQ(ValueOf(Load(ValueOf(Steps().Read(1)))), TextOfStep(1));
  EXPECT_EQ(Names().size(), 4U) << "the file of the second save is deleted";
}

TEST_F(StepWriterTest, ReplacesAStepAndRemovesItsFiles) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 1).ok());
  const std::string old = ValueOf(Steps().Read(1)).files.front().name;
  ASSERT_TRUE(Save(writer, 1, CommitMode::kReplace, "another").ok());
  EXPECT_EQ(ValueOf(Load(ValueOf(Steps().Read(1)))), "another");
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + old)));
  ASSERT_TRUE(Save(writer, 2, CommitMode::kReplace).ok()) << "there is nothing to replace";
}

TEST_F(StepWriterTest, RefusesInvalidArguments) {
  StepWriter writer = *Start();
  EXPECT_EQ(ErrorOf(Save(writer, -1)).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(Save(writer, kMaxStep + 1)).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(writer.WriteFile(1, "a/b", Bytes("x"))).code, ErrorCode::kInvalidArgument);
  CheckpointManifest manifest = ValueOf(Draft(writer, 1, "bytes"));
  manifest.metrics["loss"] = std::nan("");
  EXPECT_EQ(ErrorOf(writer.Commit(manifest)).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Names(), std::vector<std::string>{"runs/7/writer"}) << "its file is discarded";
}

TEST_F(StepWriterTest, ReplacesAStepDespiteConcurrentReplacements) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 1).ok());
  constexpr int kSavers = 4;
  std::vector<CheckpointManifest> drafts;
  drafts.reserve(kSavers);
  for (int i = 0; i < kSavers; ++i) drafts.push_back(ValueOf(Draft(writer, 1, std::to_string(i))));
  std::latch all(kSavers);
  std::atomic<int> replaced = 0;
  {
    std::vector<std::jthread> savers;
    savers.reserve(kSavers);
    for (int i = 0; i < kSavers; ++i) {
      savers.emplace_back([&, i] {
        all.arrive_and_wait();
        const auto stored = writer.Commit(drafts[static_cast<std::size_t>(i)], CommitMode::kReplace);
        EXPECT_TRUE(stored.ok()) << stored.error().message;
        replaced += stored.ok() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(replaced, kSavers);
  EXPECT_EQ(WholeSteps(), std::vector<std::int64_t>{1});
}

TEST_F(StepWriterTest, RemovesTheFilesOfItsOwnSteps) {
  StepWriter writer = *Start();
  for (const std::int64_t step : {1, 2}) ASSERT_TRUE(Save(writer, step).ok());
  ASSERT_TRUE(writer.Remove(1).ok());
  for (const std::string& name : Names()) EXPECT_EQ(name.find("step-00000001"), std::string::npos) << name;
  EXPECT_EQ(ValueOf(Steps().List()).size(), 1U) << "an unfinished step is left";
}

TEST_F(StepWriterTest, ExcludesASecondWriter) {
  const StepWriter first = *Start();
  EXPECT_TRUE(testing::FailsWith(Start(), ErrorCode::kAlreadyExists,
                                 AllOf(HasSubstr(first.identity().id), HasSubstr(first.identity().host),
                                       HasSubstr(std::to_string(first.identity().process)), HasSubstr("since 20"))));
}

TEST_F(StepWriterTest, AdmitsTheNextWriterAfterARelease) {
  StepWriter first = *Start();
  ASSERT_TRUE(first.Release().ok());
  EXPECT_TRUE(Start().ok());
}

TEST_F(StepWriterTest, NamesTheRunThatTookThePrefixOver) {
  StepWriter first = *Start();
  ASSERT_TRUE(Save(first, 1).ok());
  const CheckpointManifest in_mid_save = ValueOf(Draft(first, 2, "of the first"));
  StepWriter second = *Start(true);
  EXPECT_TRUE(testing::FailsWith(first.Commit(in_mid_save), ErrorCode::kPreconditionFailed,
                                 AllOf(HasSubstr("was taken over by run " + second.identity().id))));
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + in_mid_save.files.front().name)));
  ASSERT_TRUE(Save(second, 2).ok());
  EXPECT_EQ(ErrorOf(first.Release()).code, ErrorCode::kPreconditionFailed) << "the prefix stays the second one's";
  ASSERT_TRUE(Save(second, 3).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 2, 3));
}

TEST_F(StepWriterTest, RefusesAStepBelowAWholeOneBeforeItUploads) {
  StepWriter earlier = *Start();
  ASSERT_TRUE(Save(earlier, 300).ok());
  StepWriter writer = *Start(true);
  const auto before = Names();
  for (const CommitMode mode : {CommitMode::kCreate, CommitMode::kReplace}) {
    EXPECT_TRUE(testing::FailsWith(writer.CheckStep({.step = 100}, mode), ErrorCode::kInvalidArgument,
                                   AllOf(HasSubstr("step 100 of gs://bkt/runs/7/ is lower than step 300"),
                                         HasSubstr("CommitMode::kRewind"), HasSubstr("gcsflux checkpoint rm"))));
    EXPECT_EQ(ErrorOf(Save(writer, 100, mode)).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(ErrorOf(Save(earlier, 100)).code, ErrorCode::kInvalidArgument) << "by its own step";
  EXPECT_EQ(Names(), before);
  ASSERT_TRUE(Save(writer, 300, CommitMode::kReplace).ok());
  ASSERT_TRUE(Save(writer, 400).ok());
  ASSERT_TRUE(writer.Remove(300).ok());
  ASSERT_TRUE(Save(writer, 500).ok());
  for (const std::int64_t step : {400, 500}) {
    EXPECT_EQ(ErrorOf(writer.CheckStep({.step = 350})).code, ErrorCode::kInvalidArgument);
    Delete("runs/7/step-00000" + std::to_string(step) + ".json");
  }
  EXPECT_TRUE(Save(writer, 350).ok()) << "the steps above were removed, as the message advises";
}

// A reader goes back to a step before a damaged one, and the run must be able to continue from there.
TEST_F(StepWriterTest, SavesBelowADamagedStep) {
  StepWriter writer = *Start();
  for (const std::int64_t step : {100, 300}) ASSERT_TRUE(Save(writer, step).ok());
  Delete("runs/7/" + ValueOf(Steps().Read(300)).files.front().name);
  Put("runs/7/step-00000400.json", "{");
  ASSERT_EQ(ValueOf(Steps().Latest()).number, 100);
  ASSERT_TRUE(Save(writer, 200).ok());
  EXPECT_EQ(ValueOf(Steps().Latest()).number, 200);
}

TEST_F(StepWriterTest, ReplacesTheNewestWholeStepBelowADamagedOne) {
  StepWriter before = *Start();
  ASSERT_TRUE(Save(before, 1).ok());
  Put("runs/7/step-00000002.json", "{");
  StepWriter writer = *Start(true);
  const auto replaced = Save(writer, 1, CommitMode::kReplace, "another");
  ASSERT_TRUE(replaced.ok()) << replaced.error().message;
  EXPECT_THAT(WholeSteps(), ElementsAre(1));
}

TEST_F(StepWriterTest, RewindsToAnEarlierStep) {
  StepWriter writer = *Start();
  for (const std::int64_t step : {100, 200, 300}) ASSERT_TRUE(Save(writer, step).ok());
  Put("runs/7/step-00000300/eval.json", "mine");
  Put("runs/7/step-00000400.json", "{");
  ASSERT_FALSE(Save(writer, 150, CommitMode::kRewind).ok()) << "it is unknown which files step 400 names";
  ASSERT_TRUE(Steps().Remove(400).ok());
  ASSERT_TRUE(Save(writer, 150, CommitMode::kRewind).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(100, 150));
  EXPECT_EQ(ValueOf(Steps().Latest()).number, 150);
  EXPECT_THAT(Names(), Contains("runs/7/step-00000300/eval.json"));
  const auto listings = [this] {
    return std::ranges::count(emulator_.journal(), "storage.objects.list", &emulator::RequestRecord::operation);
  };
  const auto before = listings();
  ASSERT_TRUE(Save(writer, 160).ok());
  EXPECT_EQ(listings(), before) << "it is known that no step is higher";
  EXPECT_THAT(ValueOf(writer.Keep({.last = 1})).removed, ElementsAre(100, 150));
}

TEST_F(StepWriterTest, ReportsHigherStepsThatRemainAfterARewind) {
  StepWriter writer = *Start();
  for (const std::int64_t step : {100, 300}) ASSERT_TRUE(Save(writer, step).ok());
  Fail({.operation = "storage.objects.delete", .object_glob = "runs/7/step-00000300.json"},
       {.type = "status", .status = 403});
  const Error error = ErrorOf(Save(writer, 200, CommitMode::kRewind));
  ExpectFired();
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error.outcome, WriteOutcome::kStored);
  EXPECT_THAT(error.message, HasSubstr("step 200 of gs://bkt/runs/7/ was saved, and steps with higher numbers still"));
  EXPECT_THAT(WholeSteps(), ElementsAre(100, 200, 300));
  EXPECT_EQ(ErrorOf(Save(writer, 250)).code, ErrorCode::kInvalidArgument) << "step 300 is the newest one";
}

// A manifest of a higher step appears after the commit, from elsewhere.
TEST_F(StepWriterTest, KeepsItsLastCommittedStep) {
  StepWriter writer = *Start();
  StoredStep step = ValueOf(Save(writer, 5));
  step.manifest.step = 9;
  Put("runs/7/step-00000009.json", ValueOf(FormatManifest(step.manifest)));
  EXPECT_THAT(ValueOf(writer.Keep({.last = 1})).removed, IsEmpty());
  EXPECT_THAT(WholeSteps(), ElementsAre(5, 9));
}

// The listing of a garbage collection lacks the manifest of a pinned file if that is committed meanwhile.
TEST_F(StepWriterTest, KeepsAFileUnpinnedDuringGarbageCollection) {
  const auto listed = std::make_shared<AfterRequest>("objects.list", "gs://bkt");
  ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
  options.event_listener = listed;
  StepWriter writer = *StepWriter::Start(internal::StoreOf(*CheckpointSteps::Open(*Client::Create(options), kRun)));
  ASSERT_TRUE(Save(writer, 1).ok());
  ASSERT_TRUE(Save(writer, 2).ok());
  const StepFile shared = ValueOf(Steps().Read(1)).files.front();
  CheckpointManifest manifest = ValueOf(Draft(writer, 3, "the rest"));
  manifest.files.push_back(shared);
  auto pinned = writer.Pin({shared});
  ASSERT_NE(pinned, nullptr);
  bool is_committed = false;
  listed->Call([&] {
    is_committed = writer.Commit(manifest).ok();
    pinned.reset();
  });
  // A slow listing takes several calls, and a later one may show step 3: then step 2 is removed too.
  EXPECT_THAT(ValueOf(writer.Keep({.last = 1})).removed, Contains(1));
  ASSERT_TRUE(is_committed);
  EXPECT_THAT(Names(), Contains("runs/7/" + shared.name));
  EXPECT_THAT(WholeSteps(), Contains(3));
}

TEST_F(StepWriterTest, PinsNoFileDuringARemoval) {
  const auto listed = std::make_shared<AfterRequest>("objects.list", "gs://bkt");
  ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
  options.event_listener = listed;
  StepWriter writer = *StepWriter::Start(internal::StoreOf(*CheckpointSteps::Open(*Client::Create(options), kRun)));
  ASSERT_TRUE(Save(writer, 1).ok());
  ASSERT_TRUE(Save(writer, 2).ok());
  const StepFile file = ValueOf(Steps().Read(1)).files.front();
  std::optional<bool> is_pinned;
  listed->Call([&] { is_pinned = writer.Pin({file}) != nullptr; });
  ASSERT_TRUE(writer.Remove(1).ok());
  EXPECT_EQ(is_pinned, false);
}

TEST_F(StepWriterTest, RefusesInvalidMetricsAndTextsBeforeItUploads) {
  StepWriter writer = *Start();
  const std::uint64_t before = client_.counters().requests;
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_TRUE(testing::FailsWith(writer.CheckStep({.step = 1, .metrics = {{"loss", value}}}),
                                   ErrorCode::kInvalidArgument,
                                   AllOf(HasSubstr("step 1 of gs://bkt/runs/7/"), HasSubstr("'loss'"))));
  }
  EXPECT_EQ(ErrorOf(writer.CheckStep({.step = 1, .metadata = {{"\xff", ""}}})).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(writer.CheckStep({.step = -1})).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(client_.counters().requests, before);
}

TEST_F(StepWriterTest, NeedsABucket) {
  EXPECT_EQ(ErrorOf(StepWriter::Start(internal::StoreOf(*CheckpointSteps::Open(client_, "gs://none/run")))).code,
            ErrorCode::kNotFound);
  EXPECT_EQ(ErrorOf(CheckpointSteps::Open(client_, "/tmp/run")).code, ErrorCode::kInvalidArgument);
}

TEST_F(StepWriterTest, KeepsReservedFilesUntilTheirNamesAreDropped) {
  StepWriter writer = *Start();
  const std::string name = ValueOf(writer.ReserveName(1, "shard"));
  const StepFile file = ValueOf(WriteStepFile(*Store(), name, Bytes("of another process")));
  ASSERT_TRUE(writer.Keep({.last = 1}).ok());
  EXPECT_THAT(Names(), Contains("runs/7/" + name));
  ASSERT_TRUE(writer.Commit({.step = 1, .files = {file}}).ok());
  const std::string failed = ValueOf(writer.ReserveName(2, "shard"));
  ASSERT_TRUE(WriteStepFile(*Store(), failed, Bytes("of a save that failed")).ok());
  writer.DropName(failed);
  ASSERT_TRUE(writer.Keep({.last = 1}).ok());
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + failed)));
  EXPECT_THAT(WholeSteps(), ElementsAre(1));
  EXPECT_EQ(ErrorOf(writer.ReserveName(-1, "shard")).code, ErrorCode::kInvalidArgument);
}

// The answer to its upload and the read-back are lost.
TEST_F(StepWriterTest, RemovesAStoredFileOfAFailedWrite) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 1).ok());
  emulator_.faults().Load(
      {.rules = {{.name = "lost",
                  .match = {.operation = "storage.objects.insert", .object_prefix = "runs/7/step-00000002/"},
                  .action = {.type = "loseAnswer"}},
                 {.name = "refused",
                  .match = {.operation = "storage.objects.get", .object_prefix = "runs/7/step-00000002/"},
                  .action = {.type = "status", .status = 403}}}});
  ASSERT_FALSE(writer.WriteFile(2, "state.pt", Bytes("x")).ok());
  EXPECT_GE(emulator_.faults().Fired("lost"), 1U);
  EXPECT_GE(emulator_.faults().Fired("refused"), 1U);
  emulator_.faults().Clear();
  ASSERT_THAT(Names(), Contains(HasSubstr("step-00000002/")));
  ASSERT_TRUE(writer.Keep({.last = 1}).ok());
  EXPECT_THAT(Names(), Not(Contains(HasSubstr("step-00000002/"))));
}

TEST_F(StepWriterTest, StopsAtTheStopTokenOfItsSteps) {
  std::stop_source stop;
  const CheckpointSteps steps = *CheckpointSteps::Open(client_, kRun, {}, stop.get_token());
  StepWriter writer = *StepWriter::Start(internal::StoreOf(steps));
  stop.request_stop();
  EXPECT_EQ(ErrorOf(writer.WriteFile(1, "state.pt", Bytes("bytes"))).code, ErrorCode::kCancelled);
}

TEST_F(StepWriterTest, AdmitsOneOfTenSaversOfOneStep) {
  StepWriter writer = *Start();
  std::atomic<int> saved = 0;
  std::atomic<int> refused = 0;
  std::vector<std::jthread> savers;
  savers.reserve(10);
  for (int i = 0; i < 10; ++i) {
    savers.emplace_back([&, i] {
      const auto stored = Save(writer, 5, CommitMode::kCreate, "saver " + std::to_string(i));
      if (stored.ok())
        ++saved;
      else if (stored.error().code == ErrorCode::kAlreadyExists)
        ++refused;
    });
  }
  savers.clear();
  EXPECT_EQ(saved, 1);
  EXPECT_EQ(refused, 9);
  EXPECT_THAT(WholeSteps(), ElementsAre(5));
  EXPECT_EQ(Names().size(), 4U);
}

TEST_F(StepWriterTest, AdmitsOneOfTenStartingWriters) {
  std::atomic<int> started = 0;
  std::vector<std::jthread> runs;
  runs.reserve(10);
  for (int i = 0; i < 10; ++i) {
    runs.emplace_back([&] {
      const auto writer = Start();
      if (writer.ok())
        ++started;
      else
        EXPECT_EQ(writer.error().code, ErrorCode::kAlreadyExists) << writer.error().message;
    });
  }
  runs.clear();
  EXPECT_EQ(started, 1);
}

TEST_F(StepWriterTest, RemovesFilesOfACrashedSaveButNotItsOwn) {
  StepWriter crashed = *Start();
  ASSERT_TRUE(Save(crashed, 1).ok());
  const std::string orphan = ValueOf(Draft(crashed, 2, "never committed")).files.front().name;
  StepWriter writer = *Start(true);
  const CheckpointManifest under_way = ValueOf(Draft(writer, 3, "under way"));
  ASSERT_TRUE(writer.Keep({}).ok());
  EXPECT_THAT(Names(), Not(Contains("runs/7/" + orphan)));
  ASSERT_TRUE(writer.Commit(under_way).ok());
  ASSERT_TRUE(writer.Keep({}).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 3));
}

TEST_F(StepWriterTest, AppliesThePolicyDuringSaves) {
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 0).ok());
  std::jthread keeper([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) EXPECT_TRUE(writer.Keep({.last = 3}).ok());
  });
  for (std::int64_t step = 1; step < 30; ++step) ASSERT_TRUE(Save(writer, step).ok());
  keeper.request_stop();
  keeper.join();
  ASSERT_TRUE(writer.Keep({.last = 3}).ok());
  EXPECT_THAT(WholeSteps(), ElementsAre(27, 28, 29));
  EXPECT_EQ(Names().size(), 8U);
}

// Each fault at each stage of a save: the previous step is kept, and the saved one is whole or absent.
TEST_F(StepWriterTest, NeverShowsAPartialStepUnderAnyFault) {
  struct Stage {
    std::string operation;
    std::string object;
  };
  StepWriter writer = *Start();
  ASSERT_TRUE(Save(writer, 0).ok());
  std::int64_t step = 0;
  for (const Stage& stage :
       {Stage{"storage.objects.insert", "runs/7/step-*/*"}, Stage{"storage.objects.get", "runs/7/writer"},
        Stage{"storage.objects.insert", "runs/7/step-*.json"}}) {
    for (const emulator::FaultAction& action :
         {emulator::FaultAction{.type = "status", .status = 403},
          emulator::FaultAction{.type = "status", .status = 503}, emulator::FaultAction{.type = "reset"},
          emulator::FaultAction{.type = "loseAnswer"}}) {
      SCOPED_TRACE(stage.object + " " + action.type + " " + std::to_string(action.status.value_or(0)));
      ++step;
      Fail({.operation = stage.operation, .object_glob = stage.object}, action, 2);
      const auto saved = Save(writer, step);
      ExpectFired();
      const Step latest = ValueOf(Steps().Latest());
      EXPECT_EQ(ValueOf(Load(latest)), TextOfStep(latest.number));
      if (saved.ok()) {
        EXPECT_EQ(latest.number, step);
      }
      for (const Step& listed : ValueOf(Steps().List())) {
        EXPECT_TRUE(!listed.problem || listed.generation == 0) << listed.problem->message;
      }
    }
  }
  ASSERT_TRUE(writer.Keep({}).ok());
  EXPECT_EQ(Names().size(), 2 + 2 * WholeSteps().size()) << "no file is left over";
}

}  // namespace
}  // namespace gcsflux
