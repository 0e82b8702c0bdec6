// What LoadCheckpoint() reads beside what SaveCheckpoint() writes now, and what both do with odd modules.
#include <gmock/gmock.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>

#include "gcsflux/checkpoints/open_checkpoint.h"
#include "gcsflux/torch/archive.h"
#include "gcsflux/torch/checkpoint.h"
#include "gcsflux/torch/state_dict.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using torch::serialize::OutputArchive;

class CheckpointFormatsTest : public BucketTest {
 protected:
  CheckpointFormatsTest() { torch::manual_seed(1); }

  static void Step(torch::nn::Linear& net, torch::optim::Optimizer& optimizer) {
    optimizer.zero_grad();
    net->forward(torch::ones({2, 3})).sum().backward();
    optimizer.step();
  }

  // What SaveCheckpoint() of earlier versions wrote.
  void SaveAsBefore(const torch::nn::Linear& net, const torch::optim::Adam& adam, bool has_texts = true) const {
    SaveArchive(client_, object_, [&](OutputArchive& archive) {
      OutputArchive module(archive.compilation_unit());
      net->save(module);
      archive.write("module", module);
      OutputArchive optimizer(archive.compilation_unit());
      adam.save(optimizer);
      archive.write("optimizer", optimizer);
      c10::Dict<std::string, std::int64_t> numbers;
      numbers.insert("epoch", 5);
      archive.write("numbers", c10::IValue(numbers));
      c10::Dict<std::string, std::string> texts;
      texts.insert("cursor", "here");
      if (has_texts) archive.write("texts", c10::IValue(texts));
    });
  }

  ObjectName object_ = {"torch-test", "c.pt"};
};

TEST_F(CheckpointFormatsTest, CheckpointsOfEarlierVersionsAreRead) {
  for (const bool has_texts : {true, false}) {
    torch::nn::Linear saved(3, 2);
    torch::optim::Adam adam(saved->parameters(), 0.125);
    Step(saved, adam);
    SaveAsBefore(saved, adam, has_texts);
    torch::nn::Linear loaded(3, 2);
    torch::optim::Adam other(loaded->parameters(), 0.5);
    TrainingState state{.module = loaded.get(), .optimizer = &other};
    LoadCheckpoint(client_, object_, state);
    EXPECT_TRUE(torch::equal(loaded->weight, saved->weight));
    EXPECT_EQ(other.param_groups()[0].options().get_lr(), 0.125);
    EXPECT_EQ(other.state().size(), 2U);
    EXPECT_EQ(state.numbers, (std::map<std::string, std::int64_t>{{"epoch", 5}}));
    EXPECT_EQ(state.texts.size(), has_texts ? 1U : 0U);
  }
}

TEST_F(CheckpointFormatsTest, AnotherModulesCheckpointOfEarlierVersionsIsRefused) {
  torch::nn::Linear saved(3, 2);
  torch::optim::Adam adam(saved->parameters());
  SaveAsBefore(saved, adam);
  torch::nn::Linear loaded(3, 4);
  const torch::Tensor before = loaded->weight.detach().clone();
  TrainingState state{.module = loaded.get()};
  const Error error = ThrownBy([&] { LoadCheckpoint(client_, object_, state); });
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, AllOf(HasSubstr("gs://torch-test/c.pt"), HasSubstr("weight is Float[2, 3]")));
  EXPECT_TRUE(torch::equal(loaded->weight, before));
}

TEST_F(CheckpointFormatsTest, WritesWhatTorchLoadReads) {
  torch::nn::Linear net(3, 2);
  torch::optim::Adam adam(net->parameters());
  Step(net, adam);
  SaveCheckpoint(client_, object_, {.module = net.get(), .optimizer = &adam, .numbers = {{"epoch", 5}}});
  const auto checkpoint = ValueOrThrow(OpenCheckpoint(client_, "gs://torch-test/c.pt"));
  EXPECT_EQ(checkpoint.format(), CheckpointFormat::kTorchFile);
  EXPECT_TRUE(checkpoint.Find("model.weight").ok());
  EXPECT_TRUE(checkpoint.Find("optimizer.state.0.exp_avg").ok());
  EXPECT_EQ(*ValueOrThrow(checkpoint.torch_file()->ReadValue("numbers.epoch")).As<std::int64_t>(), 5);
}

// LBFGS has no form in Python that is known here.
TEST_F(CheckpointFormatsTest, OtherOptimizersAreSavedForLibtorchAlone) {
  torch::nn::Linear net(3, 2);
  torch::optim::LBFGS lbfgs(net->parameters());
  SaveCheckpoint(client_, object_, {.module = net.get(), .optimizer = &lbfgs});
  EXPECT_EQ(ValueOrThrow(OpenCheckpoint(client_, "gs://torch-test/c.pt")).format(), CheckpointFormat::kLibtorchArchive);
}

TEST_F(CheckpointFormatsTest, LazyViewsAreNotSavedForLibtorchAlone) {
  torch::nn::Linear net(3, 2);
  torch::optim::LBFGS lbfgs(net->parameters());
  SaveCheckpoint(client_, object_, {.module = net.get(), .optimizer = &lbfgs});
  net->register_buffer("view", torch::ones({2}, torch::kComplexFloat).conj());
  TrainingState state{.module = net.get(), .optimizer = &lbfgs};
  for (const Error& error : {ThrownBy([&] { SaveCheckpoint(client_, object_, state); }),
                             ThrownBy([&] { LoadCheckpoint(client_, object_, state); })}) {
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message, HasSubstr("view is a view by conj()"));
  }
}

TEST_F(CheckpointFormatsTest, ReadsWhatPythonsUsersSave) {
  torch::nn::Linear saved(3, 2);
  torch::optim::SGD sgd(saved->parameters(), torch::optim::SGDOptions(0.125).momentum(0.5));
  Step(saved, sgd);
  StateDictWriter writer;
  pickled::Dict root;
  root.entries.push_back({{.any = std::string("model")}, writer.OfModule(*saved)});
  root.entries.push_back({{.any = std::string("optimizer")}, writer.OfOptimizer(sgd)});
  root.entries.push_back({{.any = std::string("epoch")}, {.any = std::int64_t{3}}});
  root.entries.push_back({{.any = std::string("run")}, {.any = std::string("a")}});
  root.entries.push_back({{.any = std::string("best")}, {.any = 0.5}});
  std::string bytes;
  std::move(writer).Write({.any = std::move(root)}, [&](std::span<const std::byte> piece) -> Result<void> {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return {};
  });
  Put("c.pt", bytes);
  torch::nn::Linear loaded(3, 2);
  torch::optim::SGD other(loaded->parameters(), 1.0);
  TrainingState state{.module = loaded.get(), .optimizer = &other};
  LoadCheckpoint(client_, object_, state);
  EXPECT_TRUE(torch::equal(loaded->weight, saved->weight));
  EXPECT_EQ(other.param_groups()[0].options().get_lr(), 0.125);
  EXPECT_EQ(state.numbers, (std::map<std::string, std::int64_t>{{"epoch", 3}}));
  EXPECT_EQ(state.texts, (std::map<std::string, std::string>{{"run", "a"}}));
}

TEST_F(CheckpointFormatsTest, NamesAndTextsMayHaveAnyBytes) {
  torch::nn::Linear net(3, 2);
  const std::map<std::string, std::string> texts = {{"\xFF", std::string("\0\x80", 2)}, {"\xC3\xA4", "\xE2\x82\xAC"}};
  SaveCheckpoint(client_, object_, {.module = net.get(), .numbers = {{"\xFE", 1}}, .texts = texts});
  TrainingState state{.module = net.get()};
  LoadCheckpoint(client_, object_, state);
  EXPECT_EQ(state.texts, texts);
  EXPECT_EQ(state.numbers, (std::map<std::string, std::int64_t>{{"\xFE", 1}}));
}

TEST_F(CheckpointFormatsTest, OtherFilesAreRefused) {
  torch::nn::Linear net(3, 2);
  TrainingState state{.module = net.get()};
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    SaveStateDict(client_, "gs://torch-test/c.pt", *net, {.format = format});
    const Error error = ThrownBy([&] { LoadCheckpoint(client_, object_, state); });
    EXPECT_EQ(error.code, ErrorCode::kUndecodable);
    EXPECT_THAT(error.message, HasSubstr(format == CheckpointFormat::kTorchFile ? "no model" : "LoadStateDict"));
  }
  Put("c.pt", "hello");
  EXPECT_THAT(ThrownBy([&] { LoadCheckpoint(client_, object_, state); }).message, HasSubstr("not a checkpoint"));
}

// Two names of one memory, which two requests must not be read into at the same time.
TEST_F(CheckpointFormatsTest, TiedWeightsComeBack) {
  const auto make = [] {
    torch::nn::Sequential net(torch::nn::Linear(3, 3), torch::nn::Linear(3, 3));
    net->children()[1]->as<torch::nn::Linear>()->weight = net->children()[0]->as<torch::nn::Linear>()->weight;
    net->children()[1]->named_parameters(false)["weight"].set_data(net->children()[0]->parameters(false)[0].data());
    return net;
  };
  const auto saved = make();
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    SaveStateDict(client_, "gs://torch-test/c.pt", *saved, {.format = format});
    for (const bool is_staged : {false, true}) {
      auto loaded = make();
      LoadStateDict(client_, "gs://torch-test/c.pt", *loaded, {.is_staged = is_staged});
      const auto parameters = loaded->named_parameters();
      EXPECT_TRUE(torch::equal(parameters["0.weight"], saved->named_parameters()["0.weight"]));
      EXPECT_EQ(parameters["0.weight"].data_ptr(), parameters["1.weight"].data_ptr());
    }
  }
}

// Each tensor is asked for with all others.
TEST_F(CheckpointFormatsTest, AnOptimizersManyTensorsTakeFewRequests) {
  torch::nn::Sequential net;
  for (int i = 0; i < 30; ++i) net->push_back(torch::nn::Linear(3, 3));
  torch::optim::Adam adam(net->parameters());
  net->forward(torch::ones({2, 3})).sum().backward();
  adam.step();
  SaveCheckpoint(client_, object_, {.module = net.ptr().get(), .optimizer = &adam});
  const auto requests = [&] {
    std::uint64_t sum = 0;
    for (const auto& count : emulator_.counters().operations) sum += count.requests;
    return sum;
  };
  const std::uint64_t before = requests();
  TrainingState state{.module = net.ptr().get(), .optimizer = &adam};
  LoadCheckpoint(client_, object_, state);
  EXPECT_LE(requests() - before, 6U);
}

}  // namespace
}  // namespace gcsflux
