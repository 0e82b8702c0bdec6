// Faults while a run saves, keeps and loads: each fault has fired, the previous step still loads, and the error names
// the step.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "checkpoints/run_fixture.h"
#include "checkpoints/save_step.h"
#include "client/client_core.h"
#include "http/curl_transport.h"
#include "support/driven_timing.h"
#include "support/fault_matrix.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using internal::StateContents;
using std::chrono::hours;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::NamedFault;
using testing::NamedFaults;
using testing::RandomBytes;
using testing::RunFixture;
using testing::ValueOf;

// Waits take no time: they move the emulator's clock.
class EmulatorsTiming : public testing::DrivenTiming {
 public:
  explicit EmulatorsTiming(emulator::Clock& clock) : clock_(clock) {}
  bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const override {
    clock_.Advance(duration);
    return DrivenTiming::Wait(duration, stop);
  }
  // Request identities are derived from it.
  [[nodiscard]] double Random() const override {
    const std::scoped_lock lock(mutex_);
    return std::uniform_real_distribution<double>()(random_);
  }

 private:
  emulator::Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::mt19937 random_{5};  // Guarded by mutex_.
};

class RunFaultsTest : public RunFixture {
 protected:
  struct Stage {
    std::string name;
    emulator::FaultMatch match;
  };

  void SetUp() override {
    RunFixture::SetUp();
    auto writer = Start();
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    writer_.emplace(*std::move(writer));
    ASSERT_TRUE(Save(*writer_, 1).ok());
  }
  // Another writer, whose waits take no time.
  void StartWithoutWaits(const RetryPolicies& retry) {
    ClientCore::Settings settings{.endpoint = emulator_.endpoint(), .project = "p", .retry = retry};
    const Client client = ClientOf(std::make_shared<const ClientCore>(
        std::move(settings), internal::MakeCurlTransport({}), std::make_unique<EmulatorsTiming>(emulator_.clock())));
    writer_.emplace(*StepWriter::Start(internal::StoreOf(*CheckpointSteps::Open(client, kRun)), /*take_over=*/true));
  }
  // A state as a run saves it, in a file that is sent in parts.
  Result<SavedStep> SaveLarge(std::int64_t step, std::optional<KeepRules> keep = {}) {
    pickled::Dict root;
    root.entries.push_back(
        {{.any = std::string("w")},
         {.any = TensorLayout{
              .dtype = DType::kUint8, .shape = {static_cast<std::int64_t>(large_.size())}, .strides = {1}}}});
    const StateContents contents{.root = {.any = root}, .storages = {AsBytes(large_)}};
    return internal::SaveStep(*writer_, contents,
                              {.manifest = {.step = step},
                               .keep = std::move(keep),
                               .file = {.part_bytes = std::size_t{5} << 20, .path = WritePath::kParallel}},
                              {});
  }
  Result<SavedStep> SaveShort(std::int64_t step, std::optional<KeepRules> keep) {
    return internal::SaveStep(*writer_, {.root = {.any = step}}, {.manifest = {.step = step}, .keep = std::move(keep)},
                              {});
  }
  // In every case: each step listed as whole is whole, and the newest of them loads.
  void ExpectTheStepBefore(std::int64_t step, bool is_saved) {
    const Step latest = ValueOf(Steps().Latest());
    EXPECT_EQ(latest.number, is_saved ? step : latest.number);
    EXPECT_GE(latest.number, 1);
    for (const StepFile& file : latest.files) {
      const auto reader = Store()->OpenFile(file);
      ASSERT_TRUE(reader.ok());
      EXPECT_TRUE(reader->VerifyWhole().ok());
    }
    for (const Step& listed : ValueOf(Steps().List())) {
      EXPECT_TRUE(!listed.problem || listed.generation == 0) << listed.problem->message;
    }
  }

  const std::string large_ = RandomBytes((std::size_t{5} << 20) + 1000, 1);
  std::optional<StepWriter> writer_;
};

NamedFaults AllFaultsOfAWrite() {
  return testing::FailuresInPlaceOfAnswer() + testing::LostAnswers() +
         NamedFaults{{"corrupted upload", {.type = "corruptUpload", .at_byte = 3}},
                     {"status 401", {.type = "status", .status = 401}},
                     {"status 403", {.type = "status", .status = 403}},
                     {"status 404", {.type = "status", .status = 404}},
                     {"status 410", {.type = "status", .status = 410}},
                     {"status 412", {.type = "status", .status = 412}}};
}

NamedFaults AllFaultsOfARead() {
  return testing::FailuresInPlaceOfAnswer() + testing::LostAnswers() +
         NamedFaults{{"status 401", {.type = "status", .status = 401}},
                     {"status 403", {.type = "status", .status = 403}},
                     {"reset in its midst", {.type = "cut", .after_bytes = 9, .resets = true}}};
}

TEST_F(RunFaultsTest, KeepThePreviousStepAtEachStageOfASave) {
  StartWithoutWaits(RetryPolicies::All({.max_attempts = 2}));
  const std::vector<Stage> stages = {
      {"the file's parts begin", {.phase = "initiate"}},
      {"a part", {.phase = "part"}},
      {"the parts' end", {.phase = "complete"}},
      {"the file's compose", {.operation = "storage.objects.compose"}},
      {"the writer's object", {.operation = "storage.objects.get", .object_prefix = "runs/7/writer"}},
      {"the manifest", {.operation = "storage.objects.insert", .object_glob = "runs/7/step-*.json"}},
      {"the hint", {.operation = "storage.objects.insert", .object_prefix = "runs/7/latest"}},
      {"the rules' listing", {.operation = "storage.objects.list"}},
      {"the rules' removal", {.operation = "storage.objects.delete"}}};
  std::int64_t step = 1;
  for (const Stage& stage : stages) {
    std::uint64_t fired = 0;
    const bool is_of_parts = &stage - stages.data() < 4;
    for (const NamedFault& fault : AllFaultsOfAWrite()) {
      // A service that reports a kept object as missing must not lead to deletions.
      const bool says_gone = fault.name == "status 404" || fault.name == "status 410";
      if (says_gone && stage.name == "the rules' removal") continue;
      for (const std::uint64_t count : {1U, 2U}) {
        SCOPED_TRACE(stage.name + ": " + fault.name + " x " + std::to_string(count));
        emulator_.clock().Advance(seconds(2));
        ++step;
        Fail(stage.match, fault.action, count);
        const auto saved = is_of_parts ? SaveLarge(step, KeepRules{.last = 2}) : SaveShort(step, KeepRules{.last = 2});
        fired += emulator_.faults().Fired("it");
        emulator_.faults().Clear();
        ExpectTheStepBefore(step, saved.ok());
        if (!saved.ok()) {
          EXPECT_THAT(saved.error().message, AnyOf(HasSubstr("runs/7"), HasSubstr("step"))) << "it names the place";
        }
      }
    }
    EXPECT_GE(fired, 10U) << stage.name;
  }
  ASSERT_TRUE(writer_->Keep({}).ok());
  EXPECT_EQ(Names().size(), 2 + 2 * WholeSteps().size()) << "no file is left over";
}

TEST_F(RunFaultsTest, LoadTheRightBytesOrFailAtEachStageOfALoad) {
  ASSERT_TRUE(SaveLarge(2).ok());
  const std::vector<Stage> stages = {
      {"the hint", {.operation = "storage.objects.get", .object_prefix = "runs/7/latest"}},
      {"the names", {.operation = "storage.objects.list"}},
      {"the manifest", {.operation = "storage.objects.get", .object_glob = "runs/7/step-*.json"}},
      {"the file", {.operation = "storage.objects.get", .object_glob = "runs/7/step-*/*"}}};
  for (const Stage& stage : stages) {
    for (const NamedFault& fault : AllFaultsOfARead()) {
      for (const std::uint64_t count : {1U, 100U}) {
        SCOPED_TRACE(stage.name + ": " + fault.name + " x " + std::to_string(count));
        Fail(stage.match, fault.action, count);
        std::string bytes(large_.size(), '\0');
        const auto load = [&]() -> Result<void> {
          const auto latest = Steps().Latest();
          if (!latest.ok()) return latest.error();
          EXPECT_EQ(latest->number, 2) << "an older step is no answer to a service that fails";
          const auto checkpoint = Steps().OpenStep(latest->number);
          if (!checkpoint.ok()) return checkpoint.error();
          const auto tensor = checkpoint->Find("w");
          if (!tensor.ok()) return tensor.error();
          return checkpoint->ReadTensor(*tensor, std::as_writable_bytes(std::span(bytes)));
        };
        const auto loaded = load();
        ExpectFired();
        if (loaded.ok())
          EXPECT_TRUE(bytes == large_);
        else
          EXPECT_THAT(loaded.error().message, HasSubstr("runs/7"));
      }
    }
  }
}

TEST_F(RunFaultsTest, SurviveAMinuteOfThrottling) {
  StartWithoutWaits(RetryPolicies());
  const std::vector<Stage> stages = {
      {"a part", {.phase = "part"}},
      {"the compose", {.operation = "storage.objects.compose"}},
      {"the manifest", {.operation = "storage.objects.insert", .object_glob = "runs/7/step-*.json"}}};
  for (const Stage& stage : stages) {
    SCOPED_TRACE(stage.name);
    const auto before = emulator_.clock().Now();
    emulator_.faults().Load({.rules = {{.name = "it",
                                        .match = stage.match,
                                        .action = {.type = "status", .status = 429},
                                        .limits = {.not_after = seconds(60)}}}});
    const std::int64_t step = ValueOf(Steps().Latest()).number + 1;
    const auto saved = SaveLarge(step);
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    EXPECT_GE(emulator_.faults().Fired("it"), 2U);
    emulator_.faults().Clear();
    EXPECT_GE(emulator_.clock().Now() - before, seconds(60));
    ExpectTheStepBefore(step, true);
  }
}

TEST_F(RunFaultsTest, SaveWithoutDeletePermission) {
  Fail({.operation = "storage.objects.delete"}, {.type = "status", .status = 403}, 1000);
  for (const std::int64_t step : {2, 3, 4}) {
    const std::uint64_t before = emulator_.faults().Fired("it");
    const SavedStep saved = ValueOf(SaveLarge(step, KeepRules{.last = 1}));
    EXPECT_FALSE(saved.keep_error.has_value());
    ASSERT_EQ(saved.kept.not_removed.size(), 1U) << "it is said once";
    EXPECT_EQ(saved.kept.not_removed[0].problem->code, ErrorCode::kPermissionDenied);
    EXPECT_EQ(emulator_.faults().Fired("it") - before, 1U) << "and asked once";
  }
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 2, 3, 4));
  ExpectFired();
  EXPECT_THAT(ValueOf(SaveLarge(5, KeepRules{.last = 1})).kept.removed, ElementsAre(1, 2, 3, 4));
}

// The service refuses to delete or replace an object younger than its retention policy.
TEST_F(RunFaultsTest, ReportObjectsUnderARetentionPolicy) {
  const emulator::FaultAction refused{
      .type = "status",
      .status = 403,
      .body = R"({"error":{"code":403,"message":"Object is subject to the bucket's retention policy.",)"
              R"("errors":[{"domain":"global","reason":"retentionPolicyNotMet","message":"It is too young."}]}})",
      .content_type = "application/json"};
  emulator_.faults().Load(
      {.rules = {{.name = "delete", .match = {.operation = "storage.objects.delete"}, .action = refused},
                 {.name = "hint",
                  .match = {.operation = "storage.objects.insert", .object_prefix = "runs/7/latest"},
                  .action = refused}}});
  std::vector<std::int64_t> beyond;
  for (std::int64_t step = 2; step <= 4; ++step) {
    emulator_.clock().Advance(seconds(2));
    beyond.push_back(step - 1);
    const std::uint64_t before = emulator_.faults().Fired("delete");
    const SavedStep saved = ValueOf(SaveLarge(step, KeepRules{.last = 1}));
    std::vector<std::int64_t> listed;
    for (const Step& one : saved.kept.not_removed) {
      listed.push_back(one.number);
      EXPECT_EQ(one.problem->reason, "retentionPolicyNotMet");
      EXPECT_THAT(one.problem->message, HasSubstr("runs/7/step-0000000" + std::to_string(one.number)));
    }
    EXPECT_EQ(listed, beyond) << "all of them, not the first one";
    EXPECT_EQ(emulator_.faults().Fired("delete") - before, beyond.size()) << "each is asked for once";
  }
  EXPECT_EQ(emulator_.faults().Fired("hint"), 1U);
  EXPECT_THAT(WholeSteps(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(ValueOf(Steps().Latest()).number, 4) << "the hint says step 1";
  emulator_.faults().Clear();
  EXPECT_THAT(ValueOf(SaveLarge(5, KeepRules{.last = 1})).kept.removed, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(WholeSteps(), ElementsAre(5));
}

TEST_F(RunFaultsTest, OrderStepsByNumberNotByClocks) {
  const auto now = std::chrono::system_clock::now();
  int ahead = 1;
  for (std::int64_t step = 2; step <= 5; ++step) {
    CheckpointManifest manifest = ValueOf(Draft(*writer_, step, TextOfStep(step)));
    manifest.time = now + ahead * hours(24);
    ahead = -ahead;
    ASSERT_TRUE(writer_->Commit(manifest).ok());
  }
  EXPECT_EQ(ValueOf(Steps().Latest()).number, 5);
  Put(LeftFile(9), "under way on another machine");
  EXPECT_EQ(ValueOf(Steps().CollectGarbage()).files, 0U) << "no machine's clock makes it old";
  EXPECT_THAT(ValueOf(writer_->Keep({.last = 2})).removed, ElementsAre(1, 2, 3));
  EXPECT_THAT(WholeSteps(), ElementsAre(4, 5));
}

TEST_F(RunFaultsTest, ReportAnEditedManifest) {
  ASSERT_TRUE(Save(*writer_, 2).ok());
  std::string json = ValueOf(client_.ReadObject({"bkt", "runs/7/step-00000002.json"}));
  const std::size_t at = json.find("\"size\":");
  ASSERT_NE(at, json.npos);
  json.insert(at + 7, "1");
  Put("runs/7/step-00000002.json", json);
  const Step latest = ValueOf(Steps().Latest());
  EXPECT_EQ(latest.number, 1);
  ASSERT_EQ(latest.skipped.size(), 1U);
  EXPECT_THAT(latest.skipped[0].problem->message,
              AllOf(HasSubstr("step 2"), HasSubstr("other bytes than the manifest says"), HasSubstr("load another")));
}

TEST_F(RunFaultsTest, NameTheWinnerOfConcurrentSaves) {
  std::atomic<int> saved = 0;
  std::atomic<int> refused = 0;
  std::vector<std::jthread> savers;
  savers.reserve(10);
  for (int i = 0; i < 10; ++i) {
    savers.emplace_back([&, i] {
      const auto stored = Save(*writer_, 5, CommitMode::kCreate, "saver " + std::to_string(i));
      if (stored.ok()) {
        ++saved;
      } else {
        EXPECT_EQ(stored.error().code, ErrorCode::kAlreadyExists);
        EXPECT_THAT(stored.error().message, HasSubstr("saved by run " + writer_->identity().id));
        ++refused;
      }
    });
  }
  savers.clear();
  EXPECT_EQ(saved, 1);
  EXPECT_EQ(refused, 9);
}

// Random saves, removals, rules and failures: there is always a whole step, and it is the newest committed one.
TEST_F(RunFaultsTest, NeverLoseTheLastGoodStep) {
  std::mt19937 random(11);
  std::int64_t committed = 1;
  const NamedFaults faults = AllFaultsOfAWrite();
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const char* const operations[] = {"storage.objects.delete", "storage.objects.insert", "storage.objects.list",
                                      "storage.objects.get"};
    if (random() % 2 == 0) {
      Fail({.operation = operations[random() % 4], .probability = 0.5}, faults[random() % faults.size()].action);
    }
    const std::int64_t step = committed + 1;
    switch (random() % 4) {
      case 0: static_cast<void>(writer_->Keep({.last = 1 + random() % 3}).ok()); break;
      case 1: static_cast<void>(writer_->Remove(committed - 1 - static_cast<std::int64_t>(random() % 3)).ok()); break;
      default:
        if (Save(*writer_, step).ok()) committed = step;
    }
    emulator_.faults().Clear();
    const auto latest = Steps().Latest();
    ASSERT_TRUE(latest.ok()) << latest.error().message;
    EXPECT_GE(latest->number, committed);
    committed = latest->number;  // A save whose answer was lost may be there.
    EXPECT_EQ(ValueOf(Load(*latest)), TextOfStep(committed));
  }
  EXPECT_GE(committed, 40);
}

}  // namespace
}  // namespace gcsflux
