// What a group saves beside modules: optimizers, generators, and unchanged slices. Threads are the ranks.
#include <gmock/gmock.h>
#include <torch/utils.h>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "sharding/rank_threads.h"
#include "sharding/sharded_checkpoints.h"
#include "support/fails_with.h"
#include "torch/bucket_test.h"
#include "torch/small_training.h"

namespace gcsflux {
namespace {

using testing::OnRanks;
using testing::Training;

constexpr const char* kGroupUri = "gs://torch-test/runs/7";

class GroupStateTest : public BucketTest {
 protected:
  [[nodiscard]] CheckpointRun Run(Collective& group, const CheckpointRunOptions& options = {}) const {
    return {client_, kGroupUri, group, options};
  }
};

/// A training whose batches are the same on all ranks, with its own generator.
struct TrainedRank {
  Training training;
  at::Generator generator;

  explicit TrainedRank(std::uint64_t seed) : generator(at::detail::createCPUGenerator(seed)) {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : training.net.parameters()) parameter.fill_(0.5);
  }
  [[nodiscard]] RunState State() {
    RunState state = training.State();
    state.generators = {{"own", generator}};
    return state;
  }
  void Step() {
    const at::Tensor x = torch::arange(64, torch::kFloat32).reshape({16, 4}).sin();
    training.adam.zero_grad();
    training.net.forward(x).pow(2).mean().backward();
    training.adam.step();
    ++training.step;
  }
  [[nodiscard]] at::Tensor Weights() {
    std::vector<at::Tensor> all;
    for (const auto& parameter : training.net.parameters()) all.push_back(parameter.detach().flatten());
    return torch::cat(all);
  }
  [[nodiscard]] double Draw() { return torch::rand({1}, generator).item<double>(); }
};

// The weights after two steps, and after a third one.
std::pair<at::Tensor, at::Tensor> WeightsOfSteps() {
  TrainedRank rank(0);
  rank.Step();
  rank.Step();
  const at::Tensor saved = rank.Weights();
  rank.Step();
  return {saved, rank.Weights()};
}

void ExpectResumed(TrainedRank& rank, RunState& state) {
  const auto [saved, next] = WeightsOfSteps();
  EXPECT_TRUE(torch::equal(rank.Weights(), saved));
  rank.Step();
  EXPECT_TRUE(torch::equal(rank.Weights(), next)) << "the optimizer's state is another one";
  EXPECT_EQ(state.numbers.at("step"), 2);
  EXPECT_EQ(state.texts.at("name"), "a run");
  EXPECT_TRUE(state.cursor);
}

TEST_F(GroupStateTest, AdamLoadsOnOtherRanksAndWithoutAGroup) {
  OnRanks<bool>(3, [&](internal::MessageGroup& group) {
    TrainedRank rank(1);
    rank.Step();
    rank.Step();
    Run(group).Save(2, rank.State());
    return true;
  });
  for (const LoadMode mode : {LoadMode::kAllOrNothing, LoadMode::kInPlace}) {
    for (const int world_size : {1, 2, 4}) {
      OnRanks<bool>(world_size, [&](internal::MessageGroup& group) {
        TrainedRank rank(1);
        rank.Step();  // Its state is replaced.
        RunState state = rank.State();
        EXPECT_EQ(Run(group).LoadLatest(state, mode)->number, 2);
        ExpectResumed(rank, state);
        return true;
      });
    }
    TrainedRank alone(1);
    RunState state = alone.State();
    CheckpointRun(client_, kGroupUri).Load(2, state, mode);
    ExpectResumed(alone, state);
  }
}

TEST_F(GroupStateTest, LoadsAStepOfOneProcess) {
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    SCOPED_TRACE(FormatName(format));
    TrainedRank alone(1);
    alone.Step();
    alone.Step();
    CheckpointRun(client_, kGroupUri, {.format = format}).Save(2, alone.State(), {.mode = CommitMode::kReplace});
    OnRanks<bool>(2, [&](internal::MessageGroup& group) {
      TrainedRank rank(5);
      RunState state = rank.State();
      Run(group).Load(2, state);
      ExpectResumed(rank, state);
      return true;
    });
  }
}

TEST_F(GroupStateTest, SavesAGeneratorPerRank) {
  const auto next = OnRanks<double>(2, [&](internal::MessageGroup& group) {
    TrainedRank rank(static_cast<std::uint64_t>(group.rank()));
    static_cast<void>(rank.Draw());
    Run(group).Save(1, rank.State());
    return rank.Draw();
  });
  EXPECT_NE(next[0], next[1]);
  const auto drawn = OnRanks<double>(3, [&](internal::MessageGroup& group) {
    TrainedRank rank(99);
    RunState state = rank.State();
    Run(group).Load(1, state);
    return rank.Draw();
  });
  EXPECT_EQ(drawn[0], next[0]);
  EXPECT_EQ(drawn[1], next[1]);
  EXPECT_EQ(drawn[2], TrainedRank(99).Draw()) << "it was not saved, and keeps its own";
}

TEST_F(GroupStateTest, FailsOnAllRanksForAMissingGenerator) {
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    TrainedRank rank(1);
    rank.Step();
    Run(group).Save(1, rank.State());
    return true;
  });
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    TrainedRank rank(1);
    const at::Tensor before = rank.Weights();
    RunState state = rank.State();
    if (group.rank() == 1) state.generators = {{"other", rank.generator}};
    const Error error = ThrownBy([&] { Run(group).Load(1, state); });
    EXPECT_TRUE(torch::equal(rank.Weights(), before));
    return error.message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], ::testing::HasSubstr("generators.other"));
}

// Only rank 0 reads the state of the generator. No generator takes a state of three bytes.
TEST_F(GroupStateTest, FailsOnAllRanksForALateErrorOfOne) {
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    const std::string bytes = "abc";
    std::vector<PartToSave> parts;
    if (group.rank() == 0) {
      parts.push_back(
          {{.name = "generators.own", .dtype = DType::kUint8, .shape = {3}}, std::as_bytes(std::span(bytes))});
    }
    {
      ShardedCheckpoints steps(ValueOrThrow(internal::OpenStepStore(client_, kGroupUri)), group);
      ValueOrThrow(steps.Save({.step = 1}, parts, CommitMode::kCreate, {},
                              R"({"generators": {"own": {"$tensor": "generators.own"}}})"));
    }
    RunState state{.generators = {{"own", at::detail::createCPUGenerator(1)}}, .numbers = {{"kept", 1}}};
    const Error error = ThrownBy([&] { Run(group).Load(1, state); });
    EXPECT_EQ(state.numbers.size(), 1U);
    return error.message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], ::testing::HasSubstr("rank 0"));
  EXPECT_THAT(messages[0], ::testing::HasSubstr("generator 'own'"));
}

TEST_F(GroupStateTest, FormsOneCheckpoint) {
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    TrainedRank rank(1);
    RunState state = rank.State();
    const RunEnvironment run{.rank = group.rank(), .world_size = group.world_size()};
    const auto [first_row, end_row] = DivideRows(4, run);
    state.slices["model.extra"] = Sharded(torch::arange(4.0F).slice(0, first_row, end_row), 4, run);
    Run(group).Save(1, state);
    return true;
  });
  const auto steps = ValueOrThrow(CheckpointSteps::Open(client_, kGroupUri));
  const auto step = ValueOrThrow(steps.OpenStep(1));
  EXPECT_TRUE(torch::equal(ReadTensor(step, "model.extra"), torch::arange(4.0F)));
  EXPECT_TRUE(step.ReadValue("optimizer.param_groups"));
  EXPECT_TRUE(step.ReadValue("model.extra")) << "although rank 0's values do not name it";
  TrainedRank other(1);
  LoadOptimizer(other.training.adam, step);
}

TEST_F(GroupStateTest, FormsOneCheckpointOfFewRowsAndEmptyTensors) {
  OnRanks<bool>(3, [&](internal::MessageGroup& group) {
    const RunEnvironment run{.rank = group.rank(), .world_size = group.world_size()};
    const auto [first_row, end_row] = DivideRows(2, run);
    RunState state;
    state.slices["few"] = Sharded(torch::arange(2.0F).slice(0, first_row, end_row), 2, run);
    state.slices["none"] = Sharded(torch::zeros({end_row - first_row, 0}), 2, run);
    state.slices["behind"] = {.local = torch::zeros({2, 0}), .shape = {3, 0}, .offsets = {1, 0}};
    Run(group).Save(1, state);
    RunState loaded = state;
    Run(group).Load(1, loaded);
    return true;
  });
  const auto steps = ValueOrThrow(CheckpointSteps::Open(client_, kGroupUri));
  const auto step = ValueOrThrow(steps.OpenStep(1));
  EXPECT_TRUE(torch::equal(ReadTensor(step, "few"), torch::arange(2.0F)));
  for (const char* const name : {"none", "behind"}) EXPECT_EQ(ReadTensor(step, name).numel(), 0) << name;
}

/// Slices of a frozen tensor and of one that changes.
struct Slices {
  at::Tensor frozen;
  at::Tensor trained;
  RunState state;

  explicit Slices(const Collective& group, float value) {
    const RunEnvironment run{.rank = group.rank(), .world_size = group.world_size()};
    const auto [first_row, end_row] = DivideRows(1000, run);
    frozen = torch::arange(1000.0F).slice(0, first_row, end_row).clone();
    trained = torch::full({10}, value);
    state.slices["frozen"] = Sharded(frozen, 1000, run);
    if (group.rank() == 0) state.tensors["trained"] = {{"x", trained}};
  }
};

TEST_F(GroupStateTest, SendsNoUnchangedSliceAgain) {
  const CheckpointRunOptions options{.keep = KeepRules{.last = 2}, .skip_unchanged = true};
  const auto stored = OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group, options);
    for (const std::int64_t step : {1, 2, 3, 4}) {
      Slices slices(group, static_cast<float>(step));
      if (step == 2)
        run.Save(step, slices.state);
      else
        EXPECT_TRUE(run.SaveAsync(step, slices.state).WaitCommitted());
    }
    return true;
  });
  const auto steps = ValueOrThrow(CheckpointSteps::Open(client_, kGroupUri));
  const Step last = ValueOrThrow(steps.Read(4));
  EXPECT_EQ(last.files.size(), 3U) << "its own, and those of step 1";
  std::uint64_t own = 0;
  for (const StepFile& file : last.files) {
    if (file.name.starts_with("step-00000004/")) own += file.size;
  }
  EXPECT_LT(own, 2000U) << "the frozen slices have 4,000 bytes";
  EXPECT_FALSE(steps.Read(2)) << "the rules have removed it";
  for (const int world_size : {1, 3}) {
    OnRanks<bool>(world_size, [&](internal::MessageGroup& group) {
      Slices loaded(group, 0);
      loaded.frozen.zero_();
      EXPECT_EQ(Run(group).LoadLatest(loaded.state)->number, 4);
      EXPECT_TRUE(torch::equal(loaded.frozen, Slices(group, 0).frozen));
      if (group.rank() == 0) {
        EXPECT_EQ(loaded.trained.sum().item<float>(), 40);
      }
      return true;
    });
  }
}

TEST_F(GroupStateTest, SendsAllSlicesAgainIfAFileIsMissing) {
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group, {.skip_unchanged = true});
    run.Save(1, Slices(group, 1).state);
    if (group.rank() == 0) {
      for (const auto& object : ValueOrThrow(ListPrefix(client_, Object("runs/7/step-00000001/"))).objects) {
        ValueOrThrow(client_.DeleteObject(Object(object.name)));
      }
    }
    ValueOrThrow(group.Barrier());
    const SavedStep saved = run.Save(2, Slices(group, 2).state);
    EXPECT_EQ(saved.step.files.size(), 2U);
    Slices loaded(group, 0);
    loaded.frozen.zero_();
    run.Load(2, loaded.state);
    EXPECT_TRUE(torch::equal(loaded.frozen, Slices(group, 0).frozen));
    return true;
  });
}

TEST_F(GroupStateTest, KeepsReferencedFilesOfAReplacedStep) {
  for (const CommitMode mode : {CommitMode::kReplace, CommitMode::kRewind}) {
    OnRanks<bool>(2, [&](internal::MessageGroup& group) {
      CheckpointRun run = Run(group, {.skip_unchanged = true, .take_over = true});
      run.Save(1, Slices(group, 1).state, {.mode = mode});
      const SavedStep saved = run.Save(1, Slices(group, 2).state, {.mode = mode});
      EXPECT_EQ(saved.step.files.size(), 3U);
      Slices loaded(group, 0);
      loaded.frozen.zero_();
      run.Load(1, loaded.state);
      EXPECT_TRUE(torch::equal(loaded.frozen, Slices(group, 0).frozen));
      return true;
    });
  }
}

TEST_F(GroupStateTest, ReportsAnOptimizerThatRank0DidNotSave) {
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    TrainedRank rank(1);
    rank.Step();
    RunState state = rank.State();
    if (group.rank() == 0) state.optimizers.clear();
    Run(group).Save(1, state);
    state = rank.State();
    EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Run(group).Load(1, state); }), ErrorCode::kUndecodable,
                                   ::testing::HasSubstr("the step holds no 'optimizer'")));
    return true;
  });
}

TEST_F(GroupStateTest, RemovesAStepForAllRanks) {
  const auto errors = OnRanks<Error>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group);
    for (const std::int64_t step : {1, 2}) run.Save(step, Slices(group, 1).state);
    run.Remove(1);
    EXPECT_EQ(run.List().size(), 1U);
    EXPECT_EQ(run.Latest()->number, 2);
    return ThrownBy([&] { run.Remove(2); });  // The last one.
  });
  EXPECT_EQ(errors[0].code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(errors[0].message, errors[1].message);
}

TEST_F(GroupStateTest, RefusesOptionsUnsupportedInAGroup) {
  const auto group = MakeOneProcess();
  EXPECT_EQ(ThrownBy([&] { static_cast<void>(Run(*group, {.format = CheckpointFormat::kTorchFile})); }).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ThrownBy([&] { static_cast<void>(Run(*group, {.async = {.when_busy = WhenBusy::kReplace}})); }).code,
            ErrorCode::kInvalidArgument);
  CheckpointRun alone(client_, kGroupUri);
  RunState state = Slices(*group, 1).state;
  EXPECT_EQ(ThrownBy([&] { alone.Save(1, state); }).code, ErrorCode::kInvalidArgument);
  for (const char* const name : {"numbers.x", "model", "", ".x"}) {
    RunState wrong;
    wrong.texts["a"] = "b";
    wrong.tensors["model"] = {};
    wrong.slices[name].local = torch::ones({1});
    EXPECT_EQ(ThrownBy([&] { Run(*group).Save(1, wrong); }).code, ErrorCode::kInvalidArgument) << name;
  }
}

}  // namespace
}  // namespace gcsflux
