// A run whose steps are safetensors.
#include <gmock/gmock.h>
#include <torch/utils.h>

#include "checkpoints/step_store.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "torch/bucket_test.h"
#include "torch/small_training.h"

namespace gcsflux {
namespace {

using testing::AreSame;
using testing::CopyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::Net;
using testing::Training;

class SafetensorsRunTest : public BucketTest {
 protected:
  SafetensorsRunTest() { torch::manual_seed(1); }
  [[nodiscard]] CheckpointRun Run(CheckpointRunOptions options = {.format = CheckpointFormat::kSafetensors}) const {
    return {client_, uri_, std::move(options)};
  }

  std::string uri_ = "gs://torch-test/runs/7";
};

TEST_F(SafetensorsRunTest, ResumesExactly) {
  Training training;
  training.Steps(5);
  const SavedStep saved = Run().Save(5, training.State());
  EXPECT_THAT(saved.step.files.front().name, EndsWith("-state.safetensors"));
  const std::vector<double> wanted = training.Steps(50);

  Training resumed;
  resumed.Steps(2);
  RunState state = resumed.State();
  ASSERT_TRUE(Run().LoadLatest(state).has_value());
  EXPECT_EQ(state.numbers.at("step"), 5);
  EXPECT_EQ(state.texts.at("name"), "a run");
  EXPECT_TRUE(state.cursor.has_value());
  EXPECT_TRUE(torch::equal(state.tensors.at("average")[0].second, torch::full({2, 3}, 2.5)));
  EXPECT_EQ(resumed.Steps(50), wanted) << "data order included";
}

TEST_F(SafetensorsRunTest, LoadsStepsOfBothFormats) {
  Training training;
  training.Steps(1);
  const auto first = CopyOf(training.net);
  Run({}).Save(1, training.State());
  training.Steps(1);
  const auto second = CopyOf(training.net);
  Run().Save(2, training.State());
  Training other;
  for (const std::int64_t step : {1, 2}) {
    RunState state = other.State();
    Run().Load(step, state);
    EXPECT_TRUE(AreSame(CopyOf(other.net), step == 1 ? first : second)) << step;
  }
}

TEST_F(SafetensorsRunTest, KeepsOrderAndTiesOfTensors) {
  const torch::Tensor tied = torch::arange(6, torch::kFloat32).view({2, 3});
  const RunState saved{.tensors = {{"t", {{"z", tied}, {"turned", tied.t()}, {"a", torch::ones({2}, torch::kInt64)}}}},
                       .texts = {{"raw", std::string("\xff\x00", 2)}}};
  Run().Save(1, saved);
  RunState state{.tensors = {{"t", {}}}};
  Run().Load(1, state);
  const NamedTensors& read = state.tensors.at("t");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].first, "z");
  EXPECT_EQ(read[1].first, "turned");
  EXPECT_EQ(read[2].first, "a");
  EXPECT_TRUE(torch::equal(read[1].second, tied.t()));
  EXPECT_EQ(state.texts.at("raw"), std::string("\xff\x00", 2));
}

TEST_F(SafetensorsRunTest, SavesDuringTraining) {
  Training training;
  training.Steps(2);
  const auto saved = CopyOf(training.net);
  CheckpointRun run = Run({.format = CheckpointFormat::kSafetensors, .async = {.is_lazy = true}});
  const PendingSave save = run.SaveAsync(2, training.State());
  save.WaitStaged();
  training.Steps(1);
  ASSERT_TRUE(save.WaitCommitted().ok());
  Training other;
  RunState state = other.State();
  run.Load(2, state);
  EXPECT_TRUE(AreSame(CopyOf(other.net), saved));
}

TEST_F(SafetensorsRunTest, DetectsAByteChangedInTransfer) {
  Training training;
  training.Steps(1);
  Run().Save(1, training.State());
  const auto store = ValueOrThrow(internal::OpenStepStore(client_, "gs://torch-test/runs/7"));
  const std::uint64_t byte = ValueOrThrow(store->ReadManifest(1)).manifest.tensors.front().range.begin;
  emulator_.faults().Load({.rules = {{.name = "it",
                                      .match = {.operation = "storage.objects.get", .object_glob = "runs/7/step-*/*"},
                                      .action = {.type = "corrupt", .at_byte = byte}}}});
  RunState state = training.State();
  EXPECT_EQ(ThrownBy([&] { Run().Load(1, state); }).code, ErrorCode::kCorrupted);
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

TEST_F(SafetensorsRunTest, RefusesOtherFormats) {
  EXPECT_TRUE(
      testing::FailsWith(ThrownBy([&] { static_cast<void>(Run({.format = CheckpointFormat::kLibtorchArchive})); }),
                         ErrorCode::kInvalidArgument, HasSubstr("CheckpointRunOptions::format")));
}

TEST_F(SafetensorsRunTest, NamesAnUnsupportedTensor) {
  const RunState state{.tensors = {{"t", {{"complex", torch::zeros({2}, torch::kComplexDouble)}}}}};
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Run().Save(1, state); }), ErrorCode::kInvalidArgument,
                                 HasSubstr("'t.complex'")));
  EXPECT_FALSE(Run().Latest().has_value());
}

// The optimizer too: its groups are among the values.
TEST_F(SafetensorsRunTest, OpensAsACheckpoint) {
  Training training;
  training.Steps(2);
  const SavedStep saved = Run().Save(2, training.State());
  const auto checkpoint = OpenCheckpoint(client_, "gs://torch-test/runs/7/" + saved.step.files.front().name);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  Training other;
  LoadModule(other.net, *checkpoint, {.prefix = "model.", .is_strict = true});
  LoadOptimizer(other.adam, *checkpoint);
  EXPECT_TRUE(AreSame(CopyOf(other.net), CopyOf(training.net)));
}

// A large frozen layer, and a trained one after it.
struct FineTuning {
  torch::nn::Linear frozen{1000, 500};
  Training training;

  RunState State() {
    RunState state = training.State();
    state.modules["frozen"] = &*frozen;
    return state;
  }
};

TEST_F(SafetensorsRunTest, DoesNotSendFrozenLayersAgain) {
  for (const bool is_async : {false, true}) {
    uri_ = is_async ? "gs://torch-test/runs/async" : "gs://torch-test/runs/sync";
    FineTuning tuning;
    std::vector<std::uint64_t> sent;
    {
      CheckpointRun run =
          Run({.keep = KeepRules{.last = 2}, .format = CheckpointFormat::kSafetensors, .skip_unchanged = true});
      for (int step = 1; step <= 5; ++step) {
        tuning.training.Steps(1);
        const std::uint64_t before = emulator_.counters().bytes_in;
        if (is_async)
          ASSERT_TRUE(run.SaveAsync(step, tuning.State()).WaitCommitted().ok());
        else
          run.Save(step, tuning.State());
        sent.push_back(emulator_.counters().bytes_in - before);
      }
      EXPECT_EQ(run.List().size(), 2U);
    }
    EXPECT_GT(sent.front(), 2'000'000U);
    for (std::size_t i = 1; i < sent.size(); ++i) EXPECT_LE(sent[i], sent.front() / 10);
    const auto saved = CopyOf(tuning.training.net);
    const std::vector<double> wanted = tuning.training.Steps(10);
    FineTuning resumed;
    RunState state = resumed.State();
    EXPECT_EQ(Run().LoadLatest(state)->number, 5);
    EXPECT_TRUE(AreSame(CopyOf(resumed.training.net), saved));
    EXPECT_TRUE(torch::equal(resumed.frozen->weight, tuning.frozen->weight));
    EXPECT_EQ(resumed.training.Steps(10), wanted);
  }
}

TEST_F(SafetensorsRunTest, NeedsSafetensorsToSkipUnchangedTensors) {
  const Error error =
      ThrownBy([&] { static_cast<void>(Run({.format = CheckpointFormat::kTorchFile, .skip_unchanged = true})); });
  EXPECT_TRUE(
      testing::FailsWith(error, ErrorCode::kInvalidArgument, HasSubstr("CheckpointRunOptions::skip_unchanged")));
}

}  // namespace
}  // namespace gcsflux
