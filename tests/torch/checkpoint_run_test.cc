#include "gcsflux/torch/checkpoint_run.h"

#include <gmock/gmock.h>
#include <torch/utils.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/after_request.h"
#include "support/round_trips.h"
#include "support/test_directory.h"
#include "torch/bucket_test.h"
#include "torch/small_training.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::AreSame;
using testing::CopyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Net;
using testing::Training;
using torch::Tensor;

class CheckpointRunTest : public BucketTest {
 protected:
  CheckpointRunTest() { torch::manual_seed(1); }
  [[nodiscard]] CheckpointRun Run(CheckpointRunOptions options = {}) const {
    return {client_, kUri, std::move(options)};
  }

  static constexpr const char* kUri = "gs://torch-test/runs/7";
};

TEST_F(CheckpointRunTest, GoesOnAsIfItHadNotStopped) {
  Training training;
  training.Steps(5);
  Run().Save(5, training.State());
  const std::vector<double> wanted = training.Steps(50);

  Training resumed;
  resumed.Steps(2);
  RunState state = resumed.State();
  const auto latest = Run().LoadLatest(state);
  ASSERT_TRUE(latest.has_value());
  EXPECT_EQ(latest->stored.manifest.step, 5);
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
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("CheckpointRun was moved from"));
  moved.Save(1, training.State());
}

TEST_F(CheckpointRunTest, LoadsAnyPart) {
  Training training;
  training.Steps(3);
  const std::vector<Tensor> saved = CopyOf(training.net);
  Run().Save(3, training.State());
  Net other;
  RunState state{.modules = {{"model", &other}}};
  Run().Load(3, state);
  EXPECT_TRUE(AreSame(CopyOf(other), saved));
  EXPECT_EQ(state.numbers.at("step"), 3);
}

TEST_F(CheckpointRunTest, SaysThatNothingWasSaved) {
  RunState state;
  EXPECT_FALSE(Run().Latest().has_value());
  EXPECT_FALSE(Run().LoadLatest(state).has_value());
  EXPECT_EQ(ThrownBy([&] { Run().Load(3, state); }).code, ErrorCode::kNotFound);
}

TEST_F(CheckpointRunTest, DoesNotTakeAMissingBucketForANewRun) {
  const CheckpointRun run(client_, "gs://misspelt/runs/7");
  RunState state;
  EXPECT_THAT(ThrownBy([&] { static_cast<void>(run.Latest()); }).message, HasSubstr("misspelt"));
  EXPECT_THAT(ThrownBy([&] { run.LoadLatest(state); }).message, HasSubstr("misspelt"));
}

TEST_F(CheckpointRunTest, ReleasesItsPrefixIfAnotherRunIsAssignedToIt) {
  Training training;
  CheckpointRun run = Run();
  run.Save(1, training.State());
  CheckpointRun next(client_, "gs://torch-test/runs/8");
  run = std::move(next);
  EXPECT_EQ(Run().Save(2, training.State()).stored.manifest.step, 2) << "no run has the prefix";
  EXPECT_FALSE(run.Latest().has_value()) << "it is the other run";
}

TEST_F(CheckpointRunTest, KeepsWhatTheRulesSay) {
  Training training;
  CheckpointRun run = Run({.save_every = 10, .keep = KeepRules{.last = 2, .best = KeepBest{.metric = "loss"}}});
  for (int step = 0; step <= 60; ++step) {
    if (run.ShouldSave(step)) run.Save(step, training.State(), {.metrics = {{"loss", std::abs(step - 20)}}});
  }
  std::vector<std::int64_t> steps;
  for (const ListedStep& step : run.List()) steps.push_back(step.step);
  EXPECT_THAT(steps, ElementsAre(20, 50, 60));
  run.Remove(50);
  EXPECT_EQ(run.List().size(), 2U);
}

TEST_F(CheckpointRunTest, RefusesASecondRunAndAStepThatIsThere) {
  Training training;
  CheckpointRun run = Run();
  run.Save(1, training.State());
  EXPECT_EQ(ThrownBy([&] { Run().Save(2, training.State()); }).code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(ThrownBy([&] { run.Save(1, training.State()); }).code, ErrorCode::kAlreadyExists);
  run.Save(1, training.State(), {.mode = CommitMode::kReplace});
  CheckpointRun second = Run({.writer = {.take_over = true}});
  second.Save(2, training.State());
  EXPECT_THAT(ThrownBy([&] { run.Save(3, training.State()); }).message, HasSubstr("was taken over by run"));
}

TEST_F(CheckpointRunTest, ChangesNothingWhereTheStepIsOfAnotherModule) {
  Training training;
  training.Steps(2);
  Run().Save(2, training.State());
  Training other;
  Net wider(9);
  const std::vector<Tensor> before = CopyOf(other.net);
  RunState state{.modules = {{"model", &other.net}, {"wider", &wider}}};
  const Error missing = ThrownBy([&] { Run().Load(2, state); });
  EXPECT_THAT(missing.message, AllOf(HasSubstr("step 2 of gs://torch-test/runs/7/"), HasSubstr("no 'wider'")));
  RunState shapes{.modules = {{"model", &wider}}, .optimizers = {{"optimizer", &other.adam}}};
  const Error different = ThrownBy([&] { Run().Load(2, shapes); });
  EXPECT_EQ(different.code, ErrorCode::kUndecodable);
  EXPECT_THAT(different.message, AllOf(HasSubstr("step 2 of gs://"), HasSubstr("first.weight")));
  EXPECT_TRUE(AreSame(CopyOf(other.net), before));
}

// It is the last one, so that the others would have changed.
TEST_F(CheckpointRunTest, ChangesNothingWhereATensorCannotBeWritten) {
  struct Masked : torch::nn::Module {
    explicit Masked(float value)
        : weight(register_parameter("weight", torch::full({2}, value))),
          mask(register_buffer("mask", torch::full({1}, value).expand({4}))) {}
    Tensor weight;
    Tensor mask;
  };
  Masked saved(7);
  Run().Save(3, {.modules = {{"model", &saved}}});
  Masked other(1);
  RunState state{.modules = {{"model", &other}}};
  const Error error = ThrownBy([&] { Run().Load(3, state); });
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("mask has elements that share memory"), HasSubstr("clone()")));
  EXPECT_EQ(other.weight.min().item<float>(), 1);
}

// What another kind of generator, or another version of libtorch, may have saved.
TEST_F(CheckpointRunTest, ChangesNothingWhereAGeneratorCannotTakeItsState) {
  Training training;
  StepWriter writer = ValueOrThrow(StepWriter::Start(ValueOrThrow(CheckpointSteps::Open(client_, kUri))));
  const at::Generator cpu = at::detail::getDefaultCPUGenerator();
  const Tensor good = cpu.get_state();
  std::int64_t step = 0;
  for (const Tensor& bad : {good.narrow(0, 0, 10), good.to(torch::kFloat32), torch::zeros_like(good)}) {
    StateDictWriter file;
    pickled::Dict root;
    root.entries.push_back({{.any = std::string("model")}, file.OfModule(training.net)});
    root.entries.push_back({{.any = std::string("generators")}, file.OfTensors({{"cpu", bad}})});
    const auto written = writer.WriteFile(++step, "state.pt", [&](const ByteSink& sink) -> Result<void> {
      std::move(file).Write({.any = std::move(root)}, sink);
      return {};
    });
    ValueOrThrow(writer.Commit({.step = step, .files = {ValueOrThrow(written)}}));
    Training other;
    const std::vector<Tensor> before = CopyOf(other.net);
    RunState state{.modules = {{"model", &other.net}}, .generators = {{"cpu", cpu}}};
    const Tensor was = cpu.get_state();
    const Error error = ThrownBy([&] { Run().Load(step, state); });
    EXPECT_EQ(error.code, ErrorCode::kUndecodable);
    EXPECT_THAT(error.message, AllOf(HasSubstr("step " + std::to_string(step) + " of gs://"), HasSubstr("'cpu'")));
    EXPECT_TRUE(AreSame(CopyOf(other.net), before)) << error.message;
    EXPECT_TRUE(torch::equal(cpu.get_state(), was));
  }
}

TEST_F(CheckpointRunTest, NamesAGeneratorThatTheStepLacks) {
  Training training;
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    const std::int64_t step = format == CheckpointFormat::kTorchFile ? 1 : 2;
    Run({.format = format}).Save(step, training.State());
    RunState state{.generators = {{"cuda", at::detail::getDefaultCPUGenerator()}}};
    const Error error = ThrownBy([&] { Run().Load(step, state); });
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << "kNotFound says that there is no such step";
    EXPECT_THAT(error.message, HasSubstr("the step holds no 'generators.cuda'; load another step"));
  }
}

TEST_F(CheckpointRunTest, RefusesNamesThatAreNotClear) {
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

TEST_F(CheckpointRunTest, RefusesMembersThatAreNull) {
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
      EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.message, HasSubstr("is null"));
    }
  }
}

TEST_F(CheckpointRunTest, LoadsIntoTheTensorsThatAreGiven) {
  const Tensor a = torch::arange(6, torch::kFloat).reshape({2, 3});
  const Tensor b = torch::full({3}, 5, torch::kInt);
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    const std::int64_t step = format == CheckpointFormat::kTorchFile ? 1 : 2;
    Run({.format = format}).Save(step, {.tensors = {{"own", {{"a", a}, {"b", b}}}}});
    const Tensor turned = torch::zeros({3, 2}).t().requires_grad_();
    RunState part{.tensors = {{"own", {{"a", turned}}}}};
    Run().Load(step, part);
    EXPECT_TRUE(torch::equal(turned, a));
    EXPECT_TRUE(turned.requires_grad());
    EXPECT_EQ(turned.stride(0), 1);
    RunState all{.tensors = {{"own", {}}}};
    Run().Load(step, all);
    ASSERT_EQ(all.tensors["own"].size(), 2U);
    EXPECT_TRUE(torch::equal(all.tensors["own"][1].second, b));
    RunState undefined{.tensors = {{"own", {{"b", Tensor()}}}}};
    Run().Load(step, undefined);
    EXPECT_TRUE(torch::equal(undefined.tensors["own"][0].second, b));
  }
}

TEST_F(CheckpointRunTest, ChangesNothingWhereATensorGivenDoesNotFit) {
  Run().Save(1, {.tensors = {{"own", {{"a", torch::ones({2, 3})}, {"b", torch::ones({4})}}}}});
  const auto error_of = [&](const std::string& name, const Tensor& tensor) {
    const Tensor first = torch::zeros({2, 3});
    RunState state{.tensors = {{"own", {{"a", first}, {name, tensor}}}}};
    const Error error = ThrownBy([&] { Run().Load(1, state); });
    EXPECT_TRUE(torch::equal(first, torch::zeros({2, 3})));
    return error;
  };
  EXPECT_EQ(error_of("c", torch::zeros({4})).code, ErrorCode::kUndecodable);
  EXPECT_THAT(error_of("b", torch::zeros({5})).message,
              HasSubstr("'own.b' is Float [4] in the step, and Float [5] here"));
  EXPECT_EQ(error_of("b", torch::zeros({4}, torch::kInt)).code, ErrorCode::kUndecodable);
  EXPECT_EQ(error_of("b", torch::zeros({1}).expand({4})).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of("b", torch::zeros({4}).to_sparse()).code, ErrorCode::kInvalidArgument);
}

TEST_F(CheckpointRunTest, ReadsTheLatestStepsFileInTheThirdRoundTrip) {
  Training training;
  for (int step = 1; step <= 3; ++step) {
    training.Steps(1);
    emulator_.clock().Advance(std::chrono::seconds(2));
    Run({.writer = {.take_over = true}}).Save(step, training.State());
  }
  emulator_.shaping().Set({.read_first_byte_ms = 100, .list_first_byte_ms = 100});
  const std::size_t before = emulator_.journal().size();
  RunState state = training.State();
  EXPECT_EQ(Run().LoadLatest(state)->stored.manifest.step, 3);
  auto requests = emulator_.journal();
  requests.erase(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(testing::RoundTrips(requests), 3U) << "the whole of a short file comes with its ends";
}

TEST_F(CheckpointRunTest, SaysThatTheFileIsNotWhatWasSaved) {
  Training training;
  training.Steps(1);
  const SavedStep saved = Run().Save(1, training.State());
  const std::string name = "runs/7/" + saved.stored.manifest.files.front().name;
  const std::string bytes = ValueOrThrow(client_.ReadObject(Object(name)));
  Put(name, bytes);
  const std::vector<Tensor> before = CopyOf(training.net);
  RunState state = training.State();
  const Error error = ThrownBy([&] { Run().Load(1, state); });
  EXPECT_THAT(error.message, AllOf(HasSubstr("step 1 of gs://torch-test/runs/7/"), HasSubstr("state.pt")));
  EXPECT_TRUE(AreSame(CopyOf(training.net), before));
  EXPECT_EQ(ThrownBy([&] { Run().LoadLatest(state); }).code, ErrorCode::kUndecodable);
}

TEST_F(CheckpointRunTest, IsCorruptedWhereAByteChangedOnTheWay) {
  Training training;
  training.Steps(1);
  Run().Save(1, training.State());
  emulator_.faults().Load({.rules = {{.name = "it",
                                      .match = {.operation = "storage.objects.get", .object_glob = "runs/7/step-*/*"},
                                      .action = {.type = "corrupt", .at_byte = 3000}}}});
  RunState state = training.State();
  EXPECT_EQ(ThrownBy([&] { Run().Load(1, state); }).code, ErrorCode::kCorrupted);
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

TEST_F(CheckpointRunTest, GoesBackToTheStepBeforeIfTheNewestIsDamagedWhereItIsRead) {
  Training training;
  for (const std::int64_t step : {1, 2}) {
    training.Steps(1);
    Run().Save(step, training.State());
  }
  for (const std::uint64_t byte : {0U, 3000U}) {
    SCOPED_TRACE(byte);
    emulator_.faults().Load(
        {.rules = {{.name = "it",
                    .match = {.operation = "storage.objects.get", .object_glob = "runs/7/step-00000002/*"},
                    .action = {.type = "corrupt", .at_byte = byte}}}});
    Training other;
    RunState state = other.State();
    const auto latest = Run().LoadLatest(state);
    ASSERT_TRUE(latest.has_value());
    EXPECT_EQ(latest->stored.manifest.step, 1);
    EXPECT_EQ(state.numbers.at("step"), 1);
    ASSERT_EQ(latest->skipped.size(), 1U);
    EXPECT_EQ(latest->skipped[0].step, 2);
    EXPECT_EQ(latest->skipped[0].why.code, ErrorCode::kCorrupted);
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
    emulator_.faults().Clear();
  }
}

TEST_F(CheckpointRunTest, SaysThatAllStepsAreDamaged) {
  Training training;
  Run().Save(1, training.State());
  emulator_.faults().Load({.rules = {{.name = "it",
                                      .match = {.operation = "storage.objects.get", .object_glob = "runs/7/step-*/*"},
                                      .action = {.type = "corrupt", .at_byte = 3000}}}});
  RunState state = training.State();
  const Error error = ThrownBy([&] { Run().LoadLatest(state); });
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, HasSubstr("no step in gs://torch-test/runs/7/ is whole"));
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

// An older step is no answer to a state that the newest one does not fit.
TEST_F(CheckpointRunTest, DoesNotGoBackIfTheNewestStepHoldsSomethingElse) {
  Training training;
  Run().Save(1, training.State());
  Net wider(9);
  Run().Save(2, {.modules = {{"model", &wider}}});
  RunState state{.modules = {{"model", &training.net}}};
  EXPECT_THAT(ThrownBy([&] { Run().LoadLatest(state); }).message, HasSubstr("step 2 of gs://torch-test/runs/7/"));
}

// After each request of the load that is about a step, the run saves the next one, and its rules remove that one.
TEST_F(CheckpointRunTest, LoadsAWholeStepWhileRulesRemoveTheOneThatIsRead) {
  Training training;
  CheckpointRun saver = Run({.keep = KeepRules{.last = 1}});
  std::int64_t step = 0;
  const auto save = [&] { saver.Save(++step, training.State()); };
  for (const char* const subject : {".json", "-state.pt"}) {
    SCOPED_TRACE(subject);
    save();
    const auto listener = std::make_shared<testing::AfterRequest>("objects.get", subject, save);
    const Client client = ValueOrThrow(Client::Create({.endpoint = emulator_.endpoint(),
                                                       .retry = RetryPolicies::All({.max_attempts = 1}),
                                                       .event_listener = listener}));
    const std::int64_t before = step;
    Training other;
    RunState state = other.State();
    const auto latest = CheckpointRun(client, kUri).LoadLatest(state);
    ASSERT_EQ(step, before + 1);
    ASSERT_TRUE(latest.has_value());
    EXPECT_GE(latest->stored.manifest.step, before) << "that one may have been read as a whole";
  }
}

TEST_F(CheckpointRunTest, RefusesAMetricThatIsNoNumberBeforeTheUpload) {
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

TEST_F(CheckpointRunTest, GoesBackToAnEarlierStepIfItIsTold) {
  Training training;
  CheckpointRun run = Run({.keep = KeepRules{.last = 2}});
  for (const std::int64_t step : {100, 200, 300}) run.Save(step, training.State());
  EXPECT_EQ(ThrownBy([&] { run.Save(250, training.State()); }).code, ErrorCode::kInvalidArgument);
  run.Save(250, training.State(), {.mode = CommitMode::kRewind});
  const auto latest = run.Latest();
  ASSERT_TRUE(latest.has_value());
  EXPECT_EQ(latest->stored.manifest.step, 250);
  run.Save(260, training.State());
  std::vector<std::int64_t> steps;
  for (const ListedStep& step : run.List()) steps.push_back(step.step);
  EXPECT_THAT(steps, ElementsAre(250, 260));
}

TEST_F(CheckpointRunTest, SavesBesideTheTraining) {
  for (const SnapshotMode mode : {SnapshotMode::kEager, SnapshotMode::kLazy}) {
    Training training;
    training.Steps(2);
    const std::vector<Tensor> saved = CopyOf(training.net);
    const std::int64_t step = mode == SnapshotMode::kEager ? 2 : 3;
    CheckpointRun run = Run({.async = {.mode = mode, .max_in_flight = 2}});
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

TEST_F(CheckpointRunTest, FinishesSavesAtItsEndAfterTheStateIsGone) {
  {
    CheckpointRun run = Run({.async = {.mode = SnapshotMode::kLazy}});
    Training training;
    run.SaveAsync(1, training.State());
  }
  Training training;
  RunState state = training.State();
  EXPECT_EQ(Run().LoadLatest(state)->stored.manifest.step, 1);
}

// The manifest is refused for longer than that, by the service, and by the retries.
TEST_F(CheckpointRunTest, CancelsSavesAtItsEndThatTakeTooLong) {
  const Client client = *Client::Create({.endpoint = emulator_.endpoint(),
                                         .project = "p",
                                         .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(10),
                                                                      .max_delay = std::chrono::milliseconds(10),
                                                                      .deadline = std::chrono::seconds(20)})});
  emulator_.faults().Load({.rules = {{.name = "it",
                                      .match = {.operation = "storage.objects.insert", .object_glob = "runs/7/*.json"},
                                      .action = {.type = "status", .status = 503}}}});
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
  EXPECT_TRUE(StepWriter::Start(*CheckpointSteps::Open(client, kUri)).ok()) << "the prefix is released";
}

TEST_F(CheckpointRunTest, ObeysTheTokenOfItsUploads) {
  Training training;
  std::stop_source stop;
  stop.request_stop();
  CheckpointRunOptions options;
  options.file.upload.stop = stop.get_token();
  CheckpointRun run = Run(std::move(options));
  EXPECT_EQ(ThrownBy([&] { run.Save(1, training.State()); }).code, ErrorCode::kCancelled);
  const auto saved = run.SaveAsync(1, training.State()).WaitCommitted();
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(run.Latest().has_value());
}

TEST_F(CheckpointRunTest, FinishesSavesAfterItsClientIsGone) {
  emulator_.shaping().Set({.write_first_byte_ms = 50});  // The save is in flight meanwhile.
  Training training;
  auto client = std::make_optional(MakeClient(emulator_.endpoint()));
  std::optional<CheckpointRun> run(std::in_place, *client, kUri);
  const PendingSave save = run->SaveAsync(1, training.State());
  client.reset();
  EXPECT_FALSE(save.is_done());
  run.reset();
  ASSERT_TRUE(save.WaitCommitted().ok());
  EXPECT_EQ(Run().Latest()->stored.manifest.step, 1);
}

TEST_F(CheckpointRunTest, IsOpenedByPython) {
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
      client_.ReadObject(Object("runs/7/" + saved.stored.manifest.files.front().name)));
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
