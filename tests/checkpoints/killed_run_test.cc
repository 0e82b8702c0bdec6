// A run is killed while it takes a prefix over, saves, replaces and removes: the latest step is whole, and the next run
// removes exactly the files that are left over.
#include <gmock/gmock.h>
#include <unistd.h>

#include <random>
#include <set>
#include <thread>

#include "checkpoints/run_fixture.h"
#include "checkpoints/save_step.h"
#include "checkpoints/text_value.h"
#include "support/killed_child.h"

namespace gcsflux {
namespace {

using internal::LastCommitted;
using internal::StateContents;
using pickled::Dict;
using testing::RunFixture;
using ::testing::StartsWith;
using testing::Text;
using testing::ValueOf;

class KilledRunTest : public RunFixture {
 protected:
  static constexpr int kMostRequests = 40;
  static constexpr std::string_view kFrozen = "a tensor that no step changes";

  // Steps are texts; if they share files, a text and a tensor that is always the same.
  struct Way {
    bool shares = false;
  };

  Result<void> SaveOne(StepWriter& writer, std::int64_t step, CommitMode mode, const std::string& text,
                       LastCommitted* last) const {
    if (last == nullptr) {
      const auto saved = Save(writer, step, mode, text);
      return saved.ok() ? Result<void>() : Result<void>(saved.error());
    }
    const auto tensor = [](std::size_t storage, std::size_t bytes) {
      return pickled::Value{
          .any = TensorLayout{
              .dtype = DType::kUint8, .storage = storage, .shape = {static_cast<std::int64_t>(bytes)}, .strides = {1}}};
    };
    const Dict root{.entries = {{Text("text"), tensor(0, text.size())}, {Text("frozen"), tensor(1, kFrozen.size())}}};
    const StateContents contents{.root = {.any = root}, .storages = {AsBytes(text), AsBytes(kFrozen)}};
    const auto saved = internal::SaveStep(
        writer, contents,
        {.manifest = {.step = step}, .mode = mode, .format = CheckpointFormat::kSafetensors, .last = last}, {});
    return saved.ok() ? Result<void>() : Result<void>(saved.error());
  }

  // In a child: a run that saves, replaces and removes steps at random.
  [[noreturn]] void Live(unsigned seed, Way way) const {
    std::mt19937 random(seed);
    auto writer = Start(true);
    if (!writer.ok()) ::_exit(1);
    LastCommitted last;
    LastCommitted* const known = way.shares ? &last : nullptr;
    const auto latest = Steps().Latest();
    std::int64_t step = latest.ok() ? latest->number : 0;
    bool is_ok = true;
    for (int i = 0; i < 20 && is_ok; ++i) {
      const std::string text = " in the run of seed " + std::to_string(seed);
      switch (random() % 5) {
        case 0: is_ok = SaveOne(*writer, step, CommitMode::kReplace, TextOfStep(step) + text, known).ok(); break;
        case 1: is_ok = writer->Keep({.last = 2}).ok(); break;
        case 2: is_ok = RemoveAny(*writer, step - 1 - static_cast<std::int64_t>(random() % 3)); break;
        default: ++step; is_ok = SaveOne(*writer, step, CommitMode::kCreate, TextOfStep(step) + text, known).ok();
      }
    }
    ::_exit(is_ok ? 0 : 2);
  }

  // Unless the step is not there, or is the last one.
  static bool RemoveAny(StepWriter& writer, std::int64_t step) {
    const auto removed = writer.Remove(step);
    return removed.ok() || removed.error().code == ErrorCode::kNotFound ||
           removed.error().code == ErrorCode::kPreconditionFailed;
  }

  // The service may still carry out the child's last request.
  void WaitUntilQuiet() const {
    const auto is_under_way = [](const auto& request) { return !request.is_finished; };
    while (true) {
      const auto journal = emulator_.journal();
      if (std::none_of(journal.end() - std::min<std::ptrdiff_t>(50, std::ssize(journal)), journal.end(), is_under_way))
        return;
      std::this_thread::yield();
    }
  }

  [[nodiscard]] std::string TextIn(std::int64_t step, Way way) const {
    const StoredStep stored = Stored(step);
    if (!way.shares) return ValueOf(Load(stored));
    const auto opened = Steps().OpenStep(step);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    if (!opened.ok()) return "";
    const StoredCheckpoint& checkpoint = *opened;
    std::map<std::string, std::string> texts;
    for (const StoredTensor& tensor : checkpoint.tensors()) {
      std::string& text = texts[tensor.name];
      text.resize(TensorBytes(tensor.layout));
      const auto read = checkpoint.ReadTensor(tensor, std::as_writable_bytes(std::span(text)));
      EXPECT_TRUE(read.ok()) << read.error().message;
    }
    EXPECT_EQ(texts["frozen"], kFrozen);
    return texts["text"];
  }

  // Every byte of every step that is listed as whole.
  void ExpectWholeStepsAreRight(Way way) const {
    for (const std::int64_t step : WholeSteps()) EXPECT_THAT(TextIn(step, way), StartsWith(TextOfStep(step)));
  }

  // The names that are not orphans: the writer's, the hint's, manifests and the files that they name.
  [[nodiscard]] std::set<std::string> NamesOfUse() const {
    std::set<std::string> names;
    for (const std::string& name : Names()) {
      if (name.ends_with(".json") || name == "runs/7/writer" || name == "runs/7/latest") names.insert(name);
    }
    for (const Step& step : ValueOf(Steps().List())) {
      for (const StepFile& file : step.files) names.insert("runs/7/" + file.name);
    }
    return names;
  }

  void ExpectToSurvive(Way way);
};

void KilledRunTest::ExpectToSurvive(Way way) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "tsan ends children of a process with threads that start threads";
#endif
  int killed = 0;
  std::size_t orphans = 0;
  std::int64_t newest = -1;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) Live(seed, way);
    std::mt19937 random(seed);
    killed += testing::KillAfter(child, emulator_, 1 + random() % kMostRequests) ? 1 : 0;
    WaitUntilQuiet();
    const auto latest = Steps().Latest();
    if (newest >= 0) {
      ASSERT_TRUE(latest.ok()) << latest.error().message;
      EXPECT_GE(latest->number, newest) << "a step that was there is lost";
    }
    if (latest.ok()) newest = latest->number;
    ExpectWholeStepsAreRight(way);
    for (const Step& step : ValueOf(Steps().List())) {
      EXPECT_TRUE(!step.problem || step.generation == 0) << "a damaged step: " << step.problem->message;
    }
    const std::set<std::string> of_use = NamesOfUse();
    const std::size_t leftovers = Names().size() - of_use.size();
    if (seed % 2 == 0) {
      EXPECT_EQ(ValueOf(Steps().CollectGarbage(std::chrono::seconds(0))).files, leftovers);
    } else {
      auto writer = Start(true);
      ASSERT_TRUE(writer.ok()) << writer.error().message;
      ASSERT_TRUE(writer->Keep({}).ok());
    }
    const auto names = Names();
    EXPECT_EQ(std::set(names.begin(), names.end()), of_use) << "every orphan is removed, and nothing else";
    orphans += leftovers;
    ExpectWholeStepsAreRight(way);
  }
  EXPECT_GE(killed, 20);
  EXPECT_GE(newest, 20);
  EXPECT_GE(orphans, 4U);
}

TEST_F(KilledRunTest, LeavesWholeStepsAndRemovableFiles) { ExpectToSurvive({}); }

TEST_F(KilledRunTest, LeavesWholeStepsThatShareFiles) { ExpectToSurvive({.shares = true}); }

}  // namespace
}  // namespace gcsflux
