// What a run loads, and what stays unchanged if a step is damaged or does not fit.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "checkpoints/step_writer.h"
#include "support/after_request.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/round_trips.h"
#include "torch/checkpoint_run_fixture.h"
#include "torch/state_dict_writer.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::AreSame;
using testing::CopyOf;
using ::testing::HasSubstr;
using testing::Net;
using testing::Training;
using torch::Tensor;

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

TEST_F(CheckpointRunTest, ReportsThatNothingWasSaved) {
  RunState state;
  EXPECT_FALSE(Run().Latest().has_value());
  EXPECT_FALSE(Run().LoadLatest(state).has_value());
  EXPECT_EQ(ThrownBy([&] { Run().Load(3, state); }).code, ErrorCode::kNotFound);
}

TEST_F(CheckpointRunTest, FailsForAMissingBucket) {
  const CheckpointRun run(client_, "gs://misspelt/runs/7");
  RunState state;
  EXPECT_THAT(ThrownBy([&] { static_cast<void>(run.Latest()); }).message, HasSubstr("misspelt"));
  EXPECT_THAT(ThrownBy([&] { run.LoadLatest(state); }).message, HasSubstr("misspelt"));
}

TEST_F(CheckpointRunTest, ChangesNothingForAnotherModule) {
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
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Run().Load(2, shapes); }), ErrorCode::kUndecodable,
                                 AllOf(HasSubstr("step 2 of gs://"), HasSubstr("first.weight"))));
  EXPECT_TRUE(AreSame(CopyOf(other.net), before));
}

// It is the last one: the others would have changed before it.
TEST_F(CheckpointRunTest, ChangesNothingIfATensorCannotBeWritten) {
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
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Run().Load(3, state); }), ErrorCode::kInvalidArgument,
                                 AllOf(HasSubstr("mask has elements that share memory"), HasSubstr("clone()"))));
  EXPECT_EQ(other.weight.min().item<float>(), 1);
}

// As another kind of generator, or another version of libtorch, may have saved it.
TEST_F(CheckpointRunTest, ChangesNothingIfAGeneratorRefusesItsState) {
  Training training;
  StepWriter writer = ValueOrThrow(StepWriter::Start(ValueOrThrow(internal::OpenStepStore(client_, kUri))));
  const at::Generator cpu = at::detail::getDefaultCPUGenerator();
  const Tensor good = cpu.get_state();
  std::int64_t step = 0;
  for (const Tensor& bad : {good.narrow(0, 0, 10), good.to(torch::kFloat32), torch::zeros_like(good)}) {
    StateDictWriter file;
    pickled::Dict root;
    root.entries.push_back({{.any = std::string("model")}, file.OfModule(training.net)});
    root.entries.push_back({{.any = std::string("generators")}, file.OfTensors({{"cpu", bad}})});
    const auto written = writer.WriteFile(++step, "state.pt", [&](const ByteSink& sink) -> Result<void> {
      WriteTorchFile(std::move(file).Gather({.any = std::move(root)}), sink);
      return {};
    });
    ValueOrThrow(writer.Commit({.step = step, .files = {ValueOrThrow(written)}}));
    Training other;
    const std::vector<Tensor> before = CopyOf(other.net);
    RunState state{.modules = {{"model", &other.net}}, .generators = {{"cpu", cpu}}};
    const Tensor was = cpu.get_state();
    const Error error = ThrownBy([&] { Run().Load(step, state); });
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kUndecodable,
                                   AllOf(HasSubstr("step " + std::to_string(step) + " of gs://"), HasSubstr("'cpu'"))));
    EXPECT_TRUE(AreSame(CopyOf(other.net), before)) << error.message;
    EXPECT_TRUE(torch::equal(cpu.get_state(), was));
  }
}

TEST_F(CheckpointRunTest, NamesAMissingGenerator) {
  Training training;
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    const std::int64_t step = format == CheckpointFormat::kTorchFile ? 1 : 2;
    Run({.format = format}).Save(step, training.State());
    RunState state{.generators = {{"cuda", at::detail::getDefaultCPUGenerator()}}};
    EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Run().Load(step, state); }), ErrorCode::kUndecodable,
                                   HasSubstr("the step holds no 'generators.cuda'; load another step")))
        << "kNotFound means that there is no such step";
  }
}

TEST_F(CheckpointRunTest, LoadsIntoTheGivenTensors) {
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

TEST_F(CheckpointRunTest, ChangesNothingIfAGivenTensorDoesNotFit) {
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

TEST_F(CheckpointRunTest, ReadsTheLatestStepInThreeRoundTrips) {
  Training training;
  for (int step = 1; step <= 3; ++step) {
    training.Steps(1);
    emulator_.clock().Advance(std::chrono::seconds(2));
    Run({.take_over = true}).Save(step, training.State());
  }
  emulator_.shaping().Set({.read_first_byte_ms = 100, .list_first_byte_ms = 100});
  const std::size_t before = emulator_.journal().size();
  RunState state = training.State();
  EXPECT_EQ(Run().LoadLatest(state)->number, 3);
  auto requests = emulator_.journal();
  requests.erase(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(testing::RoundTrips(requests), 3U) << "a short file is read with its ends";
}

TEST_F(CheckpointRunTest, ReportsAReplacedFile) {
  Training training;
  training.Steps(1);
  const SavedStep saved = Run().Save(1, training.State());
  const std::string name = "runs/7/" + saved.step.files.front().name;
  const std::string bytes = ValueOrThrow(client_.ReadObject(Object(name)));
  Put(name, bytes);
  const std::vector<Tensor> before = CopyOf(training.net);
  RunState state = training.State();
  const Error error = ThrownBy([&] { Run().Load(1, state); });
  EXPECT_THAT(error.message, AllOf(HasSubstr("step 1 of gs://torch-test/runs/7/"), HasSubstr("state.pt")));
  EXPECT_TRUE(AreSame(CopyOf(training.net), before));
  EXPECT_EQ(ThrownBy([&] { Run().LoadLatest(state); }).code, ErrorCode::kUndecodable);
}

TEST_F(CheckpointRunTest, DetectsAByteChangedInTransfer) {
  Training training;
  training.Steps(1);
  Run().Save(1, training.State());
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get", .object_glob = "runs/7/step-*/*"},
                     {.type = "corrupt", .at_byte = 3000});
  RunState state = training.State();
  EXPECT_EQ(ThrownBy([&] { Run().Load(1, state); }).code, ErrorCode::kCorrupted);
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

TEST_F(CheckpointRunTest, LoadsTheStepBeforeADamagedOne) {
  Training training;
  for (const std::int64_t step : {1, 2}) {
    training.Steps(1);
    Run().Save(step, training.State());
  }
  for (const std::uint64_t byte : {0U, 3000U}) {
    SCOPED_TRACE(byte);
    testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get", .object_glob = "runs/7/step-00000002/*"},
                       {.type = "corrupt", .at_byte = byte});
    Training other;
    RunState state = other.State();
    const auto latest = Run().LoadLatest(state);
    ASSERT_TRUE(latest.has_value());
    EXPECT_EQ(latest->number, 1);
    EXPECT_EQ(state.numbers.at("step"), 1);
    ASSERT_EQ(latest->skipped.size(), 1U);
    EXPECT_EQ(latest->skipped[0].number, 2);
    EXPECT_EQ(latest->skipped[0].problem->code, ErrorCode::kCorrupted);
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
    emulator_.faults().Clear();
  }
}

TEST_F(CheckpointRunTest, ReportsThatAllStepsAreDamaged) {
  Training training;
  Run().Save(1, training.State());
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get", .object_glob = "runs/7/step-*/*"},
                     {.type = "corrupt", .at_byte = 3000});
  RunState state = training.State();
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Run().LoadLatest(state); }), ErrorCode::kUndecodable,
                                 HasSubstr("no step in gs://torch-test/runs/7/ is whole")));
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

// An older step does not replace a newest one that does not fit the state.
TEST_F(CheckpointRunTest, DoesNotSkipANewestStepThatDoesNotFit) {
  Training training;
  Run().Save(1, training.State());
  Net wider(9);
  Run().Save(2, {.modules = {{"model", &wider}}});
  RunState state{.modules = {{"model", &training.net}}};
  EXPECT_THAT(ThrownBy([&] { Run().LoadLatest(state); }).message, HasSubstr("step 2 of gs://torch-test/runs/7/"));
}

// After each request of the load about a step, the run saves the next one, and its rules remove that one.
TEST_F(CheckpointRunTest, LoadsAWholeStepDuringRemovals) {
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
    EXPECT_GE(latest->number, before) << "that one may have been read as a whole";
  }
}

}  // namespace
}  // namespace gcsflux
