// What a run saves, when, and which steps it keeps.
#include "gcsflux/torch/checkpoint_run.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "checkpoints/step_writer.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "support/fails_with.h"
#include "support/test_directory.h"
#include "torch/checkpoint_run_fixture.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::AreSame;
using testing::CopyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Training;
using torch::Tensor;

TEST_F(CheckpointRunTest, ResumesExactly) {
  Training training;
  training.Steps(5);
  Run().Save(5, training.State());
  const std::vector<double> wanted = training.Steps(50);

  Training resumed;
  resumed.Steps(2);
  RunState state = resumed.State();
  const auto latest = Run().LoadLatest(state);
  ASSERT_TRUE(latest.has_value());
  EXPECT_EQ(latest->number, 5);
  EXPECT_EQ(state.numbers.at("step"), 5);
  EXPECT_EQ(state.texts.at("name"), "a run");
  EXPECT_TRUE(state.cursor.has_value());
  EXPECT_TRUE(torch::equal(state.tensors.at("average")[0].second, torch::full({2, 3}, 2.5)));
  EXPECT_EQ(state.tensors.at("average")[0].first, "weight");
  EXPECT_EQ(resumed.Steps(50), wanted) << "data order included";
}

TEST_F(CheckpointRunTest, FailsClearlyAfterItWasMovedFrom) {
  Training training;
  CheckpointRun run = Run();
  CheckpointRun moved = std::move(run);
  const Error error = ThrownBy([&] { run.Save(1, training.State()); });  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument, HasSubstr("CheckpointRun was moved from")));
  moved.Save(1, training.State());
}

TEST_F(CheckpointRunTest, ReleasesItsPrefixOnAssignment) {
  Training training;
  CheckpointRun run = Run();
  run.Save(1, training.State());
  CheckpointRun next(client_, "gs://torch-test/runs/8");
  run = std::move(next);
  EXPECT_EQ(Run().Save(2, training.State()).step.number, 2) << "no run has the prefix";
  EXPECT_FALSE(run.Latest().has_value()) << "it is the other run";
}

TEST_F(CheckpointRunTest, AppliesTheRetentionPolicy) {
  Training training;
  CheckpointRun run = Run({.save_every = 10, .keep = KeepRules{.last = 2, .best = 1, .metric = "loss"}});
  for (int step = 0; step <= 60; ++step) {
    if (run.ShouldSave(step)) run.Save(step, training.State(), {.metrics = {{"loss", std::abs(step - 20)}}});
  }
  std::vector<std::int64_t> steps;
  for (const Step& step : run.List()) steps.push_back(step.number);
  EXPECT_THAT(steps, ElementsAre(20, 50, 60));
  run.Remove(50);
  EXPECT_EQ(run.List().size(), 2U);
}

TEST_F(CheckpointRunTest, RefusesASecondRunAndAnExistingStep) {
  Training training;
  CheckpointRun run = Run();
  run.Save(1, training.State());
  EXPECT_EQ(ThrownBy([&] { Run().Save(2, training.State()); }).code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(ThrownBy([&] { run.Save(1, training.State()); }).code, ErrorCode::kAlreadyExists);
  run.Save(1, training.State(), {.mode = CommitMode::kReplace});
  CheckpointRun second = Run({.take_over = true});
  second.Save(2, training.State());
  EXPECT_THAT(ThrownBy([&] { run.Save(3, training.State()); }).message, HasSubstr("was taken over by run"));
}

TEST_F(CheckpointRunTest, RefusesAmbiguousNames) {
  Training training;
  CheckpointRun run = Run();
  for (const char* name : {"", "a.b", "numbers", "optimizer"}) {
    RunState state = training.State();
    state.tensors[name] = {};
    EXPECT_EQ(ThrownBy([&] { run.Save(1, state); }).code, ErrorCode::kInvalidArgument) << name;
  }
  const Error error = ThrownBy([&] {
    run.Save(1, training.State(), {.metrics = {{"loss", std::numeric_limits<double>::quiet_NaN()}}});
  });
  EXPECT_THAT(error.message, AllOf(HasSubstr("step 1"), HasSubstr("'loss'")));
  EXPECT_FALSE(run.Latest().has_value());
}

TEST_F(CheckpointRunTest, RefusesNullMembers) {
  Training training;
  CheckpointRun run = Run();
  run.Save(1, training.State());
  const RunState module{.modules = {{"model", nullptr}}};
  const RunState optimizer{.optimizers = {{"optimizer", nullptr}}};
  const RunState generator{.generators = {{"cpu", at::Generator()}}};
  for (const RunState& state : {module, optimizer, generator}) {
    RunState into = state;
    for (const Error& error : {ThrownBy([&] { run.Save(2, state); }), ThrownBy([&] { run.SaveAsync(2, state); }),
                               ThrownBy([&] { run.Load(1, into); })}) {
      EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument, HasSubstr("is null")));
    }
  }
}

TEST_F(CheckpointRunTest, RefusesANanMetricBeforeTheUpload) {
  Training training;
  CheckpointRun run = Run();
  run.Save(1, training.State());
  const auto before = StoredNames();
  const std::uint64_t writes = emulator_.counters().bytes_in;
  const Error error = ThrownBy([&] {
    run.Save(2, training.State(), {.metrics = {{"loss", std::numeric_limits<double>::quiet_NaN()}}});
  });
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(StoredNames(), before);
  EXPECT_EQ(emulator_.counters().bytes_in, writes);
}

TEST_F(CheckpointRunTest, RewindsToAnEarlierStep) {
  Training training;
  CheckpointRun run = Run({.keep = KeepRules{.last = 2}});
  for (const std::int64_t step : {100, 200, 300}) run.Save(step, training.State());
  EXPECT_EQ(ThrownBy([&] { run.Save(250, training.State()); }).code, ErrorCode::kInvalidArgument);
  run.Save(250, training.State(), {.mode = CommitMode::kRewind});
  const auto latest = run.Latest();
  ASSERT_TRUE(latest.has_value());
  EXPECT_EQ(latest->number, 250);
  run.Save(260, training.State());
  std::vector<std::int64_t> steps;
  for (const Step& step : run.List()) steps.push_back(step.number);
  EXPECT_THAT(steps, ElementsAre(250, 260));
}

TEST_F(CheckpointRunTest, SavesDuringTraining) {
  for (const bool is_lazy : {false, true}) {
    Training training;
    training.Steps(2);
    const std::vector<Tensor> saved = CopyOf(training.net);
    const std::int64_t step = is_lazy ? 3 : 2;
    CheckpointRun run = Run({.async = {.is_lazy = is_lazy, .max_in_flight = 2}});
    const PendingSave save = run.SaveAsync(step, training.State());
    save.WaitStaged();
    training.Steps(1);
    ASSERT_TRUE(save.WaitCommitted().ok());
    Training other;
    RunState state = other.State();
    run.Load(step, state);
    EXPECT_TRUE(AreSame(CopyOf(other.net), saved));
    EXPECT_EQ(state.numbers.at("step"), 2);
  }
}

TEST_F(CheckpointRunTest, ThrowsTheFailureOfAnEarlierSave) {
  Training training;
  CheckpointRun run = Run();
  run.SaveAsync(1, training.State());
  run.SaveAsync(1, training.State());
  EXPECT_EQ(ThrownBy([&] { run.SaveAsync(2, training.State()); }).code, ErrorCode::kAlreadyExists);
  EXPECT_TRUE(run.SaveAsync(2, training.State()).WaitCommitted().ok());
}

TEST_F(CheckpointRunTest, FinishesSavesAfterTheStateIsDestroyed) {
  {
    CheckpointRun run = Run({.async = {.is_lazy = true}});
    Training training;
    run.SaveAsync(1, training.State());
  }
  Training training;
  RunState state = training.State();
  EXPECT_EQ(Run().LoadLatest(state)->number, 1);
}

// The service refuses the manifest for longer than that, as do the retries.
TEST_F(CheckpointRunTest, CancelsSlowSavesAtItsEnd) {
  const Client client = *Client::Create({.endpoint = emulator_.endpoint(),
                                         .project = "p",
                                         .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(10),
                                                                      .max_delay = std::chrono::milliseconds(10),
                                                                      .deadline = std::chrono::seconds(20)})});
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.insert", .object_glob = "runs/7/*.json"},
                     {.type = "status", .status = 503});
  Training training;
  std::optional<CheckpointRun> run(std::in_place, client, kUri,
                                   CheckpointRunOptions{.async = {.end_deadline = std::chrono::milliseconds(1),
                                                                  .on_unreported = [](const Error&) {}}});
  const PendingSave save = run->SaveAsync(1, training.State());
  while (emulator_.faults().Fired("it") == 0) std::this_thread::yield();
  run.reset();
  const auto saved = save.WaitCommitted();
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().code, ErrorCode::kCancelled) << saved.error().message;
  EXPECT_TRUE(StepWriter::Start(internal::StoreOf(*CheckpointSteps::Open(client, kUri))).ok())
      << "the prefix is released";
}

TEST_F(CheckpointRunTest, StopsAtTheStopTokenOfItsUploads) {
  Training training;
  std::stop_source stop;
  stop.request_stop();
  CheckpointRunOptions options;
  options.file.stop = stop.get_token();
  CheckpointRun run = Run(std::move(options));
  EXPECT_EQ(ThrownBy([&] { run.Save(1, training.State()); }).code, ErrorCode::kCancelled);
  EXPECT_TRUE(testing::FailsWith(run.SaveAsync(1, training.State()).WaitCommitted(), ErrorCode::kCancelled));
  EXPECT_FALSE(run.Latest().has_value());
}

TEST_F(CheckpointRunTest, FinishesSavesAfterItsClientIsDestroyed) {
  emulator_.shaping().Set({.write_first_byte_ms = 50});  // The save is in flight meanwhile.
  Training training;
  auto client = std::make_optional(MakeClient(emulator_.endpoint()));
  std::optional<CheckpointRun> run(std::in_place, *client, kUri);
  const PendingSave save = run->SaveAsync(1, training.State());
  client.reset();
  EXPECT_FALSE(save.is_done());
  run.reset();
  ASSERT_TRUE(save.WaitCommitted().ok());
  EXPECT_EQ(Run().Latest()->number, 1);
}

TEST_F(CheckpointRunTest, IsReadableByPython) {
  constexpr const char* kPython = "/usr/bin/python3";
  if (std::system((std::string(kPython) + " -c 'import torch' 2>/dev/null").c_str()) != 0) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "Debian's python3-torch is not installed";
    GTEST_SKIP() << "Debian's python3-torch is not installed";
  }
  Training training;
  training.Steps(4);
  const SavedStep saved = Run().Save(4, training.State());
  testing::TestDirectory directory;
  const std::string path = directory.path() / "state.pt";
  std::ofstream(path, std::ios::binary) << ValueOrThrow(
      client_.ReadObject(Object("runs/7/" + saved.step.files.front().name)));
  const float next = torch::rand({1}).item<float>();
  const double sum = training.net.first->weight.sum().item<double>();
  const std::string script = directory.path() / "check.py";
  std::ofstream(script) << "import sys, torch\n"
                           "state = torch.load(sys.argv[1])\n"
                           "linear = torch.nn.Linear(4, 8)\n"
                           "linear.weight.data.copy_(state['model']['first.weight'])\n"
                           "assert abs(linear.weight.sum().item() - float(sys.argv[2])) < 1e-5\n"
                           "adam = torch.optim.Adam([torch.zeros_like(t) for n, t in state['model'].items()\n"
                           "                         if 'running' not in n and 'batches' not in n])\n"
                           "adam.load_state_dict(state['optimizer'])\n"
                           "assert adam.param_groups[0]['lr'] == 0.01\n"
                           "assert state['numbers'] == {'step': 4} and state['texts'] == {'name': 'a run'}\n"
                           "torch.set_rng_state(state['generators']['cpu'])\n"
                           "assert abs(torch.rand(1).item() - float(sys.argv[3])) < 1e-6\n";
  const std::string command =
      std::string(kPython) + " " + script + " " + path + " " + std::to_string(sum) + " " + std::to_string(next);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace gcsflux
