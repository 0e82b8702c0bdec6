// The newest step, found by an untrusted hint.
#include "checkpoints/latest_step.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <random>
#include <thread>

#include "checkpoints/run_fixture.h"
#include "support/after_request.h"
#include "support/fails_with.h"
#include "support/round_trips.h"

namespace gcsflux {
namespace {

using testing::AfterRequest;
using ::testing::Contains;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::RoundTrips;
using testing::RunFixture;
using testing::ValueOf;

class LatestStepTest : public RunFixture {
 protected:
  static constexpr auto kHint = "runs/7/latest";
  // Requests that do not depend on each other overlap on a busy machine too.
  static inline const emulator::Shaping kSlow{.read_first_byte_ms = 500, .list_first_byte_ms = 500};

  void SetUp() override {
    RunFixture::SetUp();
    writer_.emplace(*Start());
  }

  // Each more than a second after the one before, so that each has its hint.
  void SaveSlowly(std::int64_t step) {
    emulator_.clock().Advance(std::chrono::seconds(2));
    const auto saved = Save(*writer_, step);
    ASSERT_TRUE(saved.ok()) << saved.error().message;
  }
  void SetHint(const std::string& step) const {
    ASSERT_TRUE(
        client_.InsertObject({"bkt", kHint}, AsBytes("x"), {.attributes = {.metadata = {{"latest-step", step}}}}).ok());
  }
  [[nodiscard]] std::string Hint() const {
    const auto hint = client_.GetObject({"bkt", kHint});
    return hint.ok() && hint->metadata.contains("latest-step") ? hint->metadata.at("latest-step") : "none";
  }
  [[nodiscard]] std::int64_t Latest() const {
    const auto latest = Steps().Latest();
    return latest.ok() ? latest->number : -1;
  }
  [[nodiscard]] std::string FileOf(std::int64_t step) const {
    return "runs/7/" + ValueOf(Steps().Read(step)).files.front().name;
  }
  [[nodiscard]] std::vector<emulator::RequestRecord> RequestsOf(const std::function<void()>& call) {
    const std::size_t before = emulator_.journal().size();
    call();
    auto requests = emulator_.journal();
    requests.erase(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(before));
    return requests;
  }
  void PutManySteps(int count) const {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (int step = 1 + thread; step <= count; step += 8) {
          std::string digits = std::to_string(step);
          digits.insert(0, 8 - digits.size(), '0');
          Put("runs/7/step-" + digits + ".json", "{}");
        }
      });
    }
  }

  std::optional<StepWriter> writer_;
};

TEST_F(LatestStepTest, IsFoundInThreeRoundTripsAmongTenThousand) {
  PutManySteps(9'999);
  SaveSlowly(10'000);
  emulator_.shaping().Set(kSlow);
  const auto requests = RequestsOf([&] { EXPECT_EQ(Latest(), 10'000); });
  EXPECT_EQ(requests.size(), 4U) << "the hint, a listing and a manifest, a question for its file";
  EXPECT_EQ(RoundTrips(requests), 3U);
}

TEST_F(LatestStepTest, IsOpenedWhileItsFilesAreRequested) {
  PutManySteps(9'999);
  SaveSlowly(10'000);
  emulator_.shaping().Set(kSlow);
  std::string text;
  const auto requests = RequestsOf([&] {
    const auto latest = internal::FindLatest(*Store(), [&](const StoredStep& step) -> Result<void> {
      auto read = Load(step);
      if (!read.ok()) return read.error();
      text = *std::move(read);
      return {};
    });
    ASSERT_TRUE(latest.ok()) << latest.error().message;
  });
  EXPECT_EQ(text, "state of step 10000");
  EXPECT_EQ(requests.size(), 5U);
  EXPECT_EQ(RoundTrips(requests), 3U) << "the first byte of the state arrives with the third";
}

// Otherwise its run would start again at its first step.
TEST_F(LatestStepTest, FailsForAMissingBucket) {
  const CheckpointSteps steps = *CheckpointSteps::Open(client_, "gs://misspelt/runs/7");
  const auto open = [](const StoredStep&) { return Result<void>(); };
  for (const Error& error : {ErrorOf(steps.Latest()), ErrorOf(internal::FindLatest(*internal::StoreOf(steps), open))}) {
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.http_status, 404);
    EXPECT_THAT(error.message, HasSubstr("misspelt"));
    EXPECT_THAT(error.message, HasSubstr("bucket does not exist"));
  }
}

TEST_F(LatestStepTest, IsNamedByTheHint) {
  SaveSlowly(10);
  EXPECT_EQ(Hint(), "10");
  SaveSlowly(20);
  EXPECT_EQ(Hint(), "20");
  EXPECT_EQ(ValueOf(client_.ReadObject({"bkt", kHint})), "step-00000020.json\n");
}

TEST_F(LatestStepTest, HintIsWrittenOncePerSecond) {
  SaveSlowly(10);
  const auto requests = RequestsOf([&] {
    for (const std::int64_t step : {11, 12, 13}) ASSERT_TRUE(Save(*writer_, step).ok());
  });
  EXPECT_LE(std::count_if(requests.begin(), requests.end(), [](const auto& one) { return one.object == kHint; }), 1);
  EXPECT_EQ(Latest(), 13);
}

TEST_F(LatestStepTest, IsFoundAfterAnOldHint) {
  for (const std::int64_t step : {10, 20, 30}) SaveSlowly(step);
  SetHint("10");
  const auto requests = RequestsOf([&] { EXPECT_EQ(Latest(), 30); });
  EXPECT_EQ(requests.size(), 5U) << "the hint, a listing and the manifest of step 10, the one of step 30, its file";
}

TEST_F(LatestStepTest, IsFoundIfTheHintNamesARemovedStep) {
  for (const std::int64_t step : {10, 20, 30}) SaveSlowly(step);
  ASSERT_TRUE(Steps().Remove(30).ok());
  EXPECT_EQ(Hint(), "30");
  EXPECT_EQ(Latest(), 20);
}

TEST_F(LatestStepTest, IsFoundIfTheHintsStepIsDamaged) {
  for (const std::int64_t step : {10, 20, 30}) SaveSlowly(step);
  Delete(FileOf(30));
  const Step latest = ValueOf(Steps().Latest());
  EXPECT_EQ(latest.number, 20);
  ASSERT_EQ(latest.skipped.size(), 1U);
  EXPECT_EQ(latest.skipped[0].number, 30);
}

TEST_F(LatestStepTest, DoesNotDependOnTheHintsContent) {
  for (const std::int64_t step : {10, 20, 30, 40}) SaveSlowly(step);
  Delete(FileOf(40));
  Put(LeftFile(50), "a save that was killed");
  for (const std::string hint : {"", "-1", "0", "10", "15", "20", "30", "31", "40", "50", "99999999", "100000000",
                                 "1e3", "30 ", "99999999999999999999", "step-00000020.json"}) {
    SetHint(hint);
    const Step latest = ValueOf(Steps().Latest());
    EXPECT_EQ(latest.number, 30) << hint;
    ASSERT_EQ(latest.skipped.size(), 2U) << hint;
    EXPECT_EQ(latest.skipped[0].number, 50) << hint;
    EXPECT_EQ(latest.skipped[1].number, 40) << hint;
  }
}

TEST_F(LatestStepTest, RepairsItsHintWithTheNextSave) {
  SaveSlowly(10);
  SetHint("nonsense");
  SaveSlowly(20);
  EXPECT_EQ(Hint(), "20");
  Delete(kHint);
  SaveSlowly(30);
  EXPECT_EQ(Hint(), "30");
  writer_.emplace(*Start(true));
  SaveSlowly(40);
  EXPECT_EQ(Hint(), "40") << "another run's";
}

TEST_F(LatestStepTest, KeepsAnObjectThatIsNotAHint) {
  Put(kHint, "mine");
  for (const std::int64_t step : {10, 20}) SaveSlowly(step);
  EXPECT_EQ(ValueOf(client_.ReadObject({"bkt", kHint})), "mine");
  EXPECT_EQ(Latest(), 20);
  ASSERT_TRUE(Steps().CollectGarbage(std::chrono::seconds(0)).ok());
  EXPECT_THAT(Names(), Contains(kHint));
}

TEST_F(LatestStepTest, IsSavedWithoutPermissionToWriteTheHint) {
  SaveSlowly(10);
  Fail({.operation = "storage.objects.insert", .object_prefix = kHint}, {.type = "status", .status = 403});
  for (const std::int64_t step : {20, 30, 40}) SaveSlowly(step);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U) << "it is not tried again";
  ExpectFired();
  EXPECT_EQ(Hint(), "10");
  EXPECT_EQ(Latest(), 40);
}

TEST_F(LatestStepTest, IsSavedWhileTheHintFails) {
  SaveSlowly(10);
  for (const emulator::FaultAction& action :
       {emulator::FaultAction{.type = "status", .status = 429}, emulator::FaultAction{.type = "status", .status = 503},
        emulator::FaultAction{.type = "reset"}, emulator::FaultAction{.type = "loseAnswer"}}) {
    Fail({.operation = "storage.objects.insert", .object_prefix = kHint}, action, 1);
    const std::int64_t step = Latest() + 10;
    SaveSlowly(step);
    ExpectFired();
    EXPECT_EQ(Latest(), step);
    SaveSlowly(step + 1);
    EXPECT_EQ(Hint(), std::to_string(step + 1)) << "the next one writes it again";
  }
}

TEST_F(LatestStepTest, IsFoundWhileTheHintCannotBeRead) {
  for (const std::int64_t step : {10, 20}) SaveSlowly(step);
  for (const std::uint64_t status : {403U, 404U, 503U}) {
    Fail({.operation = "storage.objects.get", .object_prefix = kHint}, {.type = "status", .status = status});
    EXPECT_EQ(Latest(), 20);
    ExpectFired();
  }
}

TEST_F(LatestStepTest, IsSkippedIfRemovedBeforeItIsOpened) {
  for (const std::int64_t step : {10, 20}) SaveSlowly(step);
  const auto latest = internal::FindLatest(*Store(), [](const StoredStep& step) -> Result<void> {
    if (step.manifest.step == 20) return Error{ErrorCode::kNotFound, "gone"};
    return {};
  });
  ASSERT_TRUE(latest.ok());
  EXPECT_EQ(latest->stored.manifest.step, 10);
  const auto broken = internal::FindLatest(*Store(), [](const StoredStep&) {
    return Result<void>(Error{ErrorCode::kTruncated, "x"});
  });
  EXPECT_EQ(ErrorOf(broken).message, "x") << "an older step does not replace a failed read";
  const auto thrown =
      internal::FindLatest(*Store(), [](const StoredStep&) -> Result<void> { throw std::runtime_error("out of it"); });
  EXPECT_EQ(ErrorOf(thrown).code, ErrorCode::kLocalIo);
  EXPECT_THAT(ErrorOf(thrown).message, ::testing::HasSubstr("threw: out of it"));
}

TEST_F(LatestStepTest, IsSkippedForEachErrorOfAnUnusableStep) {
  for (const std::int64_t step : {10, 20}) SaveSlowly(step);
  for (const ErrorCode code : {ErrorCode::kNotFound, ErrorCode::kAborted, ErrorCode::kCorrupted}) {
    SCOPED_TRACE(ErrorCodeName(code));
    const auto latest = internal::FindLatest(*Store(), [&](const StoredStep& step) -> Result<void> {
      if (step.manifest.step == 20) return Error{code, "it cannot be used"};
      return {};
    });
    ASSERT_TRUE(latest.ok()) << latest.error().message;
    EXPECT_EQ(latest->stored.manifest.step, 10);
    ASSERT_EQ(latest->skipped.size(), 1U);
    EXPECT_EQ(latest->skipped[0].problem->code, code);
  }
}

// The writer's rules keep one step. It saves the next one at each place between the reader's requests.
TEST_F(LatestStepTest, IsWholeWhileAPolicyRemovesTheListedOne) {
  struct Gap {
    const char* operation;
    const char* subject;
    bool has_hint;
  };
  std::int64_t step = 10;
  SaveSlowly(step);
  for (const Gap& gap :
       {Gap{"objects.list", "", true}, Gap{"objects.list", "", false}, Gap{"objects.get", "runs/7/latest", true},
        Gap{"objects.get", ".json", true}, Gap{"objects.get", ".json", false}}) {
    SCOPED_TRACE(std::string(gap.operation) + " " + gap.subject + (gap.has_hint ? " with a hint" : ""));
    if (!gap.has_hint) Delete(kHint);
    bool has_saved = false;
    const auto then = [&] { has_saved = Save(*writer_, ++step).ok() && writer_->Keep({.last = 1}).ok(); };
    ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
    options.event_listener = std::make_shared<AfterRequest>(gap.operation, gap.subject, then);
    const auto latest = CheckpointSteps::Open(*Client::Create(options), kRun)->Latest();
    ASSERT_TRUE(has_saved);
    ASSERT_TRUE(latest.ok()) << latest.error().message;
    EXPECT_EQ(latest->number, step);
    EXPECT_TRUE(latest->skipped.empty());
    SaveSlowly(++step);
    ASSERT_TRUE(writer_->Keep({.last = 1}).ok());
  }
}

TEST_F(LatestStepTest, IsTheReplacementIfItsFilesAreReplaced) {
  SaveSlowly(10);
  Delete(kHint);  // With a hint, the search starts again anyway.
  bool has_saved = false;
  const auto then = [&] { has_saved = Save(*writer_, 10, CommitMode::kReplace, "another").ok(); };
  ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
  options.event_listener = std::make_shared<AfterRequest>("objects.get", ".json", then);
  const auto latest = CheckpointSteps::Open(*Client::Create(options), kRun)->Latest();
  ASSERT_TRUE(has_saved);
  ASSERT_TRUE(latest.ok()) << latest.error().message;
  EXPECT_EQ(ValueOf(Load(*latest)), "another");
}

// The hint's step is whole, but a listed newer one was removed: the listing may lack others.
TEST_F(LatestStepTest, IsSearchedAgainIfANewerStepIsRemovedMeanwhile) {
  for (const std::int64_t step : {10, 20}) SaveSlowly(step);
  SetHint("10");
  bool has_saved = false;
  const auto then = [&] { has_saved = Save(*writer_, 30).ok() && Steps().Remove(20).ok(); };
  ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
  options.event_listener = std::make_shared<AfterRequest>("objects.list", "", then);
  const auto latest = CheckpointSteps::Open(*Client::Create(options), kRun)->Latest();
  ASSERT_TRUE(has_saved);
  ASSERT_TRUE(latest.ok()) << latest.error().message;
  EXPECT_EQ(latest->number, 30);
}

TEST_F(LatestStepTest, FailsIfEachListedStepIsRemovedMeanwhile) {
  SaveSlowly(1);
  Delete(kHint);
  std::int64_t step = 1;
  const auto listed = std::make_shared<AfterRequest>("objects.list");
  std::function<void()> then = [&] {
    if (Save(*writer_, ++step).ok() && writer_->Keep({.last = 1}).ok()) listed->Call(then);
  };
  listed->Call(then);
  ClientOptions options{.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0};
  options.event_listener = listed;
  const Error error = ErrorOf(CheckpointSteps::Open(*Client::Create(options), kRun)->Latest());
  EXPECT_EQ(step, 11);
  EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kAborted, HasSubstr("after each of 10 listings")));
}

TEST_F(LatestStepTest, IsTheReplacementOfADamagedStep) {
  for (const std::int64_t step : {10, 20}) SaveSlowly(step);
  const std::vector<internal::DamagedStep> damaged = {
      {.step = 20, .generation = ValueOf(Steps().Read(20)).generation, .why = {ErrorCode::kCorrupted, "x"}}};
  const CheckpointSteps steps = Steps();
  EXPECT_EQ(ValueOf(internal::FindLatest(*internal::StoreOf(steps), {}, damaged)).stored.manifest.step, 10);
  ASSERT_TRUE(Save(*writer_, 20, CommitMode::kReplace, "another").ok());
  EXPECT_EQ(ValueOf(internal::FindLatest(*internal::StoreOf(steps), {}, damaged)).stored.manifest.step, 20);
}

// An older step does not replace a state of another type, nor a missing permission.
TEST_F(LatestStepTest, IsDamagedOnlyIfBytesAreWrong) {
  SaveSlowly(10);
  const CheckpointManifest step = Stored(10).manifest;
  const Error undecodable{ErrorCode::kUndecodable, "x"};
  const emulator::FaultMatch file{.operation = "storage.objects.get", .object_prefix = "runs/7/step-00000010/"};
  EXPECT_FALSE(internal::WhyUnusable(*Store(), step, {}, undecodable));
  Fail(file, {.type = "status", .status = 403});
  EXPECT_FALSE(internal::WhyUnusable(*Store(), step, {}, undecodable));
  ExpectFired();
  Fail(file, {.type = "corrupt", .at_byte = 3});
  const auto why = internal::WhyUnusable(*Store(), step, {}, undecodable);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::kCorrupted);
  ExpectFired();
}

// Two runs with random saves, removals and hints: the hint never changes the result.
TEST_F(LatestStepTest, DoesNotDependOnTheHintInRandomHistories) {
  std::mt19937 random(7);
  std::int64_t next = 1;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    switch (random() % 5) {
      case 0: SetHint(std::to_string(random() % 40)); break;
      case 1: static_cast<void>(Steps().Remove(static_cast<std::int64_t>(random() % 40))); break;
      case 2: ASSERT_TRUE(writer_->Keep({.last = 3}).ok()); break;
      default: SaveSlowly(next++);
    }
    const std::int64_t with_hint = Latest();
    const auto whole = WholeSteps();
    EXPECT_EQ(with_hint, whole.empty() ? -1 : whole.back());
  }
}

}  // namespace
}  // namespace gcsflux
