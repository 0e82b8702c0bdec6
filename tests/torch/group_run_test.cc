// Modules and tensors that several ranks save and load together; threads are the ranks.
#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "gcsflux/torch/checkpoint_run.h"
#include "sharding/rank_threads.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OnRanks;
using ::testing::Pair;

constexpr const char* kUri = "gs://torch-test/runs/7";
constexpr std::int64_t kRows = 10;

at::Tensor Whole() { return torch::arange(kRows * 3, torch::kFloat32).reshape({kRows, 3}); }

RunEnvironment RunOf(const Collective& group) { return {.rank = group.rank(), .world_size = group.world_size()}; }

// The rows, or columns, of this rank.
at::Tensor SliceOf(const at::Tensor& whole, std::int64_t dimension, const Collective& group) {
  const auto [first_row, end_row] = DivideRows(whole.size(dimension), RunOf(group));
  return whole.slice(dimension, first_row, end_row);
}

ShardedTensor Shard(const at::Tensor& whole, std::int64_t dimension, const Collective& group) {
  return Sharded(SliceOf(whole, dimension, group), whole.size(dimension), RunOf(group), dimension);
}

/// The state of one rank. A fresh one has zeros.
struct Rank {
  torch::nn::Linear model{3, 2};
  at::Tensor moments;
  RunState state;

  Rank(const Collective& group, std::int64_t dimension, bool is_trained) {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : model->parameters()) parameter.fill_(is_trained ? 7 : 0);
    moments = SliceOf(Whole(), dimension, group).contiguous();
    if (!is_trained) moments.zero_();
    state.modules = {{"model", &*model}};
    state.slices["moments"] = Sharded(moments, Whole().size(dimension), RunOf(group), dimension);
    if (is_trained) {
      state.numbers = {{"epoch", 3}};
      state.texts = {{"name", "a run"}, {"empty", ""}};
      state.cursor = Cursor{};
    }
  }
  [[nodiscard]] bool IsTrained(const Collective& group, std::int64_t dimension) const {
    return torch::equal(moments, SliceOf(Whole(), dimension, group)) && model->weight.min().item<float>() == 7 &&
           state.numbers.at("epoch") == 3 && state.texts.at("name") == "a run" && state.texts.at("empty").empty() &&
           state.cursor.has_value();
  }
};

class GroupRunTest : public BucketTest {
 protected:
  [[nodiscard]] CheckpointRun Run(Collective& group) const { return {client_, kUri, group}; }

  void SaveOn(int world_size, std::int64_t step = 1) const {
    OnRanks<bool>(world_size, [&](internal::MessageGroup& group) {
      Run(group).Save(step, Rank(group, 0, true).state, {.metrics = {{"loss", 0.5}}});
      return true;
    });
  }

  // In each download of a file that rank 1 has saved. These files have the same length.
  void DamageLastByteOfRank1(const std::string& folders) {
    std::uint64_t size = 0;
    for (const auto& object : ValueOrThrow(ListPrefix(client_, Object("runs/7/"))).objects) {
      if (object.name.find("shard-00002-") != std::string::npos) size = object.size;
    }
    ASSERT_GT(size, 0U);
    testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get", .object_glob = folders + "*shard-00002-*"},
                       {.type = "corrupt", .at_byte = size - 1});
  }
};

TEST_F(GroupRunTest, LoadsWithOtherRanksAndAnotherDimension) {
  SaveOn(4);
  for (const int world_size : {1, 3, 4}) {
    for (const std::int64_t dimension : {0, 1}) {
      const auto loaded = OnRanks<bool>(world_size, [&](internal::MessageGroup& group) {
        Rank rank(group, dimension, false);
        CheckpointRun run = Run(group);
        const auto latest = run.LoadLatest(rank.state);
        return latest->number == 1 && latest->metrics.at("loss") == 0.5 && rank.IsTrained(group, dimension);
      });
      for (const bool is_trained : loaded) EXPECT_TRUE(is_trained) << world_size << " ranks, dimension " << dimension;
    }
  }
}

TEST_F(GroupRunTest, SavesDuringTraining) {
  OnRanks<bool>(3, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group);
    Rank rank(group, 0, true);
    const PendingSave first = run.SaveAsync(1, rank.state);
    rank.moments.zero_();  // The state is copied.
    EXPECT_EQ(ValueOrThrow(first.WaitCommitted()).step.number, 1);
    const PendingSave second = run.SaveAsync(2, rank.state);
    Rank loaded(group, 0, false);
    run.Load(1, loaded.state);
    EXPECT_TRUE(loaded.IsTrained(group, 0));
    EXPECT_TRUE(second.is_done()) << "a load waits for saves";
    return true;
  });
}

TEST_F(GroupRunTest, ReportsAFailedSaveOnAllRanks) {
  SaveOn(2);
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group);
    return run.SaveAsync(1, Rank(group, 0, true).state).WaitCommitted().error().message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], HasSubstr("is there already"));
}

// The error that a call throws, or nothing.
template <class Call>
std::string Attempt(const Call& call) {
  try {
    call();
  } catch (const StorageError& thrown) {
    return thrown.what();
  }
  return "";
}

// A wrong part of a rank's state, and the message on all ranks.
struct WrongTensor {
  std::string name;
  at::Tensor tensor;
  std::string told;
};

TEST_F(GroupRunTest, FailsOnAllRanksIfTheStateOfOneIsWrong) {
  const at::Tensor nested = at::_nested_tensor_from_tensor_list({torch::zeros({2}), torch::zeros({3})});
  std::int64_t step = 0;
  for (const WrongTensor& wrong :
       {WrongTensor{"numbers.x", torch::zeros({2}), "'numbers.x'"}, WrongTensor{"nested", nested, "nested"}}) {
    for (const bool is_async : {false, true}) {
      ++step;
      const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
        CheckpointRun run = Run(group);
        Rank rank(group, 0, true);
        if (group.rank() == 1) rank.state.slices[wrong.name] = {.local = wrong.tensor, .shape = {}, .offsets = {}};
        const Error error = ThrownBy([&] {
          if (is_async)
            ValueOrThrow(run.SaveAsync(step, rank.state).WaitCommitted());
          else
            run.Save(step, rank.state);
        });
        rank.state.slices.erase(wrong.name);
        EXPECT_EQ(run.Save(step, rank.state).step.number, step) << "the group goes on";
        return error.message;
      });
      EXPECT_EQ(messages[0], messages[1]);
      EXPECT_THAT(messages[0], ::testing::AllOf(HasSubstr("rank 1"), HasSubstr(wrong.told)));
    }
  }
}

TEST_F(GroupRunTest, FailsOnAllRanksIfOneHasNoQueue) {
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run(client_, kUri, group, {.async = {.max_in_flight = group.rank() == 1 ? 0U : 1U}});
    return ThrownBy([&] { ValueOrThrow(run.SaveAsync(1, Rank(group, 0, true).state).WaitCommitted()); }).message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], ::testing::AllOf(HasSubstr("rank 1"), HasSubstr("max_in_flight is at least 1")));
}

// Rank 0 has seen the failure of the first save. Rank 1 has not, and the next call reports it: once.
TEST_F(GroupRunTest, SavesOnAllRanksDespiteAnEarlierFailure) {
  SaveOn(2);
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group);
    Rank rank(group, 0, true);
    const PendingSave refused = run.SaveAsync(1, rank.state);
    if (group.rank() == 0)
      EXPECT_FALSE(refused.WaitCommitted().ok());
    else
      refused.WaitEnded();
    std::string told;
    for (const std::int64_t step : {2, 3, 4, 5}) told += Attempt([&] { run.SaveAsync(step, rank.state); });
    Rank loaded(group, 0, false);
    for (const std::int64_t step : {2, 3, 4, 5}) EXPECT_EQ(Attempt([&] { run.Load(step, loaded.state); }), "");
    return told;
  });
  EXPECT_EQ(messages[0], "");
  EXPECT_THAT(messages[1],
              ::testing::MatchesRegex("save of step 1 of gs://torch-test/runs/7/: [^;]* is there already.*"));
}

// All ranks drop their handles.
TEST_F(GroupRunTest, ReportsAFailureWithTheSameSaveOnAllRanks) {
  SaveOn(3);
  const auto told = OnRanks<std::vector<std::int64_t>>(3, [&](internal::MessageGroup& group) {
    CheckpointRun run(client_, kUri, group, {.async = {.max_in_flight = 2}});
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 1; step <= 8; ++step) {
      Rank rank(group, 0, true);
      if (step == 4 && group.rank() == 1)
        rank.state.slices["numbers.x"] = {.local = torch::zeros({2}), .shape = {}, .offsets = {}};
      if (!Attempt([&] { run.SaveAsync(step, rank.state); }).empty()) steps.push_back(step);
    }
    Rank loaded(group, 0, false);
    EXPECT_EQ(Attempt([&] { run.Load(8, loaded.state); }), "");
    return steps;
  });
  EXPECT_THAT(told[0], ElementsAre(3, 6));
  EXPECT_THAT(told[1], ElementsAre(3, 4)) << "it knows of its own failure at once";
  EXPECT_EQ(told[2], told[0]);
}

// The second save is the one that reports the first failure, also on the rank that cannot make it.
TEST_F(GroupRunTest, ReportsAFailureAlikeDespiteAWrongState) {
  SaveOn(2);
  const auto told = OnRanks<std::vector<std::string>>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run(client_, kUri, group, {.async = {.max_in_flight = 1}});
    std::vector<std::string> of_steps;
    for (std::int64_t step = 1; step <= 4; ++step) {
      Rank rank(group, 0, true);
      if (step == 2 && group.rank() == 1)
        rank.state.slices["numbers.x"] = {.local = torch::zeros({2}), .shape = {}, .offsets = {}};
      of_steps.push_back(Attempt([&] { run.SaveAsync(step, rank.state); }));
    }
    Rank loaded(group, 0, false);
    EXPECT_EQ(Attempt([&] { run.Load(4, loaded.state); }), "");
    return of_steps;
  });
  const auto first = HasSubstr("save of step 1 of gs://torch-test/runs/7/: ");
  const auto second = HasSubstr("save of step 2 of gs://torch-test/runs/7/: rank 1");
  EXPECT_THAT(told[0], ElementsAre("", ::testing::AllOf(first, ::testing::Not(second)), second, ""));
  EXPECT_THAT(told[1], ElementsAre("", ::testing::AllOf(first, second), "", ""));
}

TEST_F(GroupRunTest, FailsALoadOnAllRanksIfTheStateOfOneIsWrong) {
  SaveOn(2);
  const at::Tensor nested = at::_nested_tensor_from_tensor_list({torch::zeros({2}), torch::zeros({3})});
  for (const WrongTensor& wrong : {WrongTensor{"numbers.x", torch::zeros({2}), "'numbers.x'"},
                                   WrongTensor{"expanded", torch::zeros({1}).expand({4}), "share memory"},
                                   WrongTensor{"nested", nested, "nested"}}) {
    const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
      CheckpointRun run = Run(group);
      Rank rank(group, 0, false);
      if (group.rank() == 1) rank.state.slices[wrong.name] = {.local = wrong.tensor, .shape = {}, .offsets = {}};
      const Error error = ThrownBy([&] { run.Load(1, rank.state); });
      EXPECT_EQ(rank.moments.abs().sum().item<float>(), 0);
      rank.state.slices.erase(wrong.name);
      EXPECT_EQ(Attempt([&] { run.Load(1, rank.state); }), "") << "the group is usable";
      return error.message;
    });
    EXPECT_EQ(messages[0], messages[1]);
    EXPECT_THAT(messages[0], ::testing::AllOf(HasSubstr("load of step 1 of gs://torch-test/runs/7/: rank 1"),
                                              HasSubstr("cannot load"), HasSubstr(wrong.told)));
  }
}

TEST_F(GroupRunTest, ChangesNothingIfOneRankCannotLoad) {
  SaveOn(2);
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    Rank rank(group, 0, false);
    if (group.rank() == 1) rank.state.slices["other"] = {.local = torch::zeros({2}), .shape = {}, .offsets = {}};
    CheckpointRun run = Run(group);
    const Error error = ThrownBy([&] { run.LoadLatest(rank.state); });
    EXPECT_EQ(rank.moments.abs().sum().item<float>(), 0);
    return error.message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], HasSubstr("tensor 'other' is not in the step"));
}

// Step 2 is damaged.
void ExpectStep1OnBothRanks(const std::vector<Step>& loaded) {
  for (const Step& latest : loaded) {
    EXPECT_EQ(latest.number, 1);
    ASSERT_EQ(latest.skipped.size(), 1U);
    EXPECT_EQ(latest.skipped[0].number, 2);
    EXPECT_EQ(latest.skipped[0].problem->code, ErrorCode::kCorrupted);
  }
  EXPECT_EQ(loaded[0].skipped[0].problem->message, loaded[1].skipped[0].problem->message);
}

TEST_F(GroupRunTest, LoadsTheStepBeforeOneWithADamagedShard) {
  SaveOn(2, 1);
  SaveOn(2, 2);
  DamageLastByteOfRank1("runs/7/step-00000002/");
  ExpectStep1OnBothRanks(OnRanks<Step>(2, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group);
    Rank rank(group, 0, false);
    auto latest = run.LoadLatest(rank.state);
    EXPECT_TRUE(rank.IsTrained(group, 0));
    run.Save(3, rank.state);
    return latest.value();
  }));
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

TEST_F(GroupRunTest, LoadsTheStepBeforeADamagedOneOfOneProcess) {
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    SCOPED_TRACE(FormatName(format));
    for (const std::int64_t step : {1, 2}) {
      CheckpointRun(client_, kUri, {.format = format})
          .Save(step, {.tensors = {{"state", {{"moments", Whole() * step}}}}, .numbers = {{"step", step}}},
                {.mode = CommitMode::kRewind});
    }
    emulator_.faults().Load(
        {.rules = {{.name = "it",
                    .match = {.operation = "storage.objects.get", .object_glob = "runs/7/step-00000002/*"},
                    .action = {.type = "corrupt", .at_byte = 0}}}});
    ExpectStep1OnBothRanks(OnRanks<Step>(2, [&](internal::MessageGroup& group) {
      RunState state;
      state.slices["state.moments"] = Shard(torch::zeros({kRows, 3}), 0, group);
      auto latest = Run(group).LoadLatest(state);
      EXPECT_TRUE(torch::equal(state.slices["state.moments"].local, SliceOf(Whole(), 0, group)));
      EXPECT_EQ(state.numbers.at("step"), 1);
      return latest.value();
    }));
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
    emulator_.faults().Clear();
  }
}

TEST_F(GroupRunTest, ReportsOnAllRanksThatAllStepsAreDamaged) {
  SaveOn(2, 1);
  SaveOn(2, 2);
  DamageLastByteOfRank1("runs/7/step-*/");
  const auto errors = OnRanks<Error>(2, [&](internal::MessageGroup& group) {
    Rank rank(group, 0, false);
    CheckpointRun run = Run(group);
    const Error error = ThrownBy([&] { run.LoadLatest(rank.state); });
    EXPECT_EQ(rank.moments.abs().sum().item<float>(), 0);
    return error;
  });
  EXPECT_EQ(errors[0].message, errors[1].message);
  EXPECT_TRUE(
      testing::FailsWith(errors[0], ErrorCode::kUndecodable, HasSubstr("no step in gs://torch-test/runs/7/ is whole")));
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

TEST_F(GroupRunTest, LoadsAStepThatOneProcessSaved) {
  std::int64_t step = 0;
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    CheckpointRun one(client_, kUri, {.format = format});
    one.Save(++step, {.tensors = {{"state", {{"moments", Whole()}}}},
                      .numbers = {{"epoch", 7}, {"below", -1}},
                      .texts = {{"name", "a run"}, {"bytes", "\xff"}},
                      .cursor = Cursor{.seed = 5, .epoch = 2}});
    OnRanks<bool>(3, [&](internal::MessageGroup& group) {
      RunState state{.numbers = {{"old", 1}}};
      state.slices["state.moments"] = Shard(torch::zeros({kRows, 3}), 0, group);
      EXPECT_TRUE(Run(group).LoadLatest(state).has_value());
      EXPECT_TRUE(torch::equal(state.slices["state.moments"].local, SliceOf(Whole(), 0, group)));
      EXPECT_THAT(state.numbers, ElementsAre(Pair("below", -1), Pair("epoch", 7)));
      EXPECT_THAT(state.texts, ElementsAre(Pair("bytes", "\xff"), Pair("name", "a run")));
      EXPECT_EQ(state.cursor, (Cursor{.seed = 5, .epoch = 2}));
      return true;
    });
  }
}

TEST_F(GroupRunTest, SetsNoValuesIfOneProcessSavedNone) {
  CheckpointRun(client_, kUri).Save(1, {.tensors = {{"state", {{"moments", Whole()}}}}});
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    RunState state{.numbers = {{"epoch", 7}}, .texts = {{"name", "a run"}}, .cursor = Cursor{}};
    Run(group).Load(1, state);
    EXPECT_TRUE(state.numbers.empty() && state.texts.empty() && !state.cursor);
    return true;
  });
}

// libtorch reports such a view as contiguous, although its memory has other values.
TEST_F(GroupRunTest, SavesTheValuesOfLazyViews) {
  const at::Tensor whole = torch::complex(Whole(), Whole() + 1);
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    RunState state;
    state.slices["conjugate"] = Shard(whole.conj(), 0, group);
    state.slices["negative"] = Shard(at::_neg_view(Whole() + 1), 0, group);
    EXPECT_TRUE(state.slices["conjugate"].local.is_conj() && state.slices["conjugate"].local.is_contiguous());
    EXPECT_TRUE(state.slices["negative"].local.is_neg());
    Run(group).Save(1, state);
    return true;
  });
  const auto group = MakeOneProcess();
  const at::Tensor loaded = torch::zeros({kRows, 3}, torch::kComplexFloat);
  RunState state;
  state.slices["conjugate"] = {.local = loaded.conj(), .shape = {}, .offsets = {}};
  state.slices["negative"] = {.local = torch::zeros({kRows, 3}), .shape = {}, .offsets = {}};
  Run(*group).Load(1, state);
  EXPECT_TRUE(torch::equal(loaded, whole)) << "the view's own values are the conjugates";
  EXPECT_TRUE(torch::equal(state.slices["negative"].local, -Whole() - 1));
}

TEST_F(GroupRunTest, FailsOnAllRanksWithoutTheValuesOfOneProcess) {
  CheckpointRun(client_, kUri).Save(1, {.tensors = {{"state", {{"moments", Whole()}}}}});
  for (const std::string& name : StoredNames()) {
    if (name.ends_with("-state.pt")) ValueOrThrow(client_.DeleteObject(Object(name)));
  }
  RunState of_one;
  const Error own = ThrownBy([&] { CheckpointRun(client_, kUri).Load(1, of_one); });
  const auto errors = OnRanks<Error>(3, [&](internal::MessageGroup& group) {
    CheckpointRun run = Run(group);
    RunState state{.numbers = {{"epoch", 7}}};
    const Error error = ThrownBy([&] { run.Load(1, state); });
    EXPECT_THAT(state.numbers, ElementsAre(Pair("epoch", 7)));
    EXPECT_EQ(run.Save(2, Rank(group, 0, true).state).step.number, 2) << "the group goes on";
    return error;
  });
  for (const Error& error : errors) {
    EXPECT_EQ(error.message, errors.front().message);
    EXPECT_TRUE(testing::FailsWith(error, own.code, HasSubstr("the values of step 1 of gs://torch-test/runs/7/: ")));
    EXPECT_THAT(error.message, HasSubstr("-state.pt"));
  }
}

TEST_F(GroupRunTest, FindsNothingToLoadInANewRun) {
  OnRanks<bool>(2, [&](internal::MessageGroup& group) {
    Rank rank(group, 0, false);
    EXPECT_FALSE(Run(group).LoadLatest(rank.state).has_value());
    return true;
  });
}

TEST_F(GroupRunTest, FailsForAMissingBucket) {
  const auto messages = OnRanks<std::string>(2, [&](internal::MessageGroup& group) {
    Rank rank(group, 0, false);
    CheckpointRun run(client_, "gs://misspelt/runs/7", group);
    return ThrownBy([&] { run.LoadLatest(rank.state); }).message;
  });
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_THAT(messages[0], HasSubstr("misspelt"));
}

TEST_F(GroupRunTest, RefusesOptionsUnsupportedInAGroup) {
  const auto group = MakeOneProcess();
  EXPECT_EQ(ThrownBy([&] { CheckpointRun(client_, kUri, *group, {.async = {.when_busy = WhenBusy::kReplace}}); }).code,
            ErrorCode::kInvalidArgument);
  RunState state;
  state.slices["numbers.x"] = {.local = torch::zeros({2}), .shape = {}, .offsets = {}};
  EXPECT_THAT(ThrownBy([&] { Run(*group).Save(1, state); }).message, HasSubstr("'numbers.x'"));
  EXPECT_THAT(ThrownBy([&] { Sharded(torch::zeros({4}), 10, {.rank = 0, .world_size = 4}); }).message,
              HasSubstr("rank 0 of 4 has 3 of 10 rows, and this tensor has 4"));
  const RunState null{.modules = {{"model", nullptr}}};
  EXPECT_THAT(ThrownBy([&] { Run(*group).Save(1, null); }).message, HasSubstr("the module 'model' is null"));
}

TEST(Sharded, RefusesInvalidRanksAndDimensions) {
  const at::Tensor none = torch::zeros({0});
  const auto message = [](const at::Tensor& local, std::int64_t dimension, std::int64_t rows, int rank, int ranks) {
    const Error error = ThrownBy([&] { Sharded(local, rows, {.rank = rank, .world_size = ranks}, dimension); });
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    return error.message;
  };
  EXPECT_EQ(message(none, 0, 4, 0, 0), "tensor 'local': there is no rank 0 among 0");
  EXPECT_EQ(message(none, 0, 4, 2, 2), "tensor 'local': there is no rank 2 among 2");
  EXPECT_EQ(message(none, 0, 4, -1, 2), "tensor 'local': there is no rank -1 among 2");
  for (const at::Tensor& local : {none, at::Tensor()}) {
    EXPECT_THAT(message(local, 1, 0, 0, 2), HasSubstr("no dimension 1"));
    EXPECT_THAT(message(local, -1, 0, 0, 2), HasSubstr("no dimension -1"));
  }
  EXPECT_THAT(message(none, 0, -4, 0, 2), HasSubstr("-4 rows"));
}

}  // namespace
}  // namespace gcsflux
