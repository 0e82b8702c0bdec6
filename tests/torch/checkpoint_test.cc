#include "gcsflux/torch/checkpoint.h"

#include <gmock/gmock.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <string>
#include <vector>

#include "gcsflux/torch/archive.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using torch::Tensor;

struct Net : torch::nn::Module {
  explicit Net(int width = 8) : first(4, width), norm(width), last(torch::nn::LinearOptions(width, 2).bias(false)) {
    register_module("first", first);
    register_module("norm", norm);
    register_module("last", last);
    scale = register_parameter("scale", torch::ones({2}));
  }

  Tensor forward(const Tensor& x) { return last(norm(first(x))) * scale; }

  torch::nn::Linear first;
  torch::nn::BatchNorm1d norm;
  torch::nn::Linear last;
  Tensor scale;
};

template <class Optimizer>
void Train(Net& net, Optimizer& optimizer, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Tensor x = torch::randn({16, 4});
    const auto loss = [&] {
      optimizer.zero_grad();
      Tensor value = net.forward(x).pow(2).mean();
      value.backward();
      return value;
    };
    optimizer.step(loss);
  }
}

/// Every parameter and buffer, copied.
std::vector<Tensor> StateOf(const Net& net) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : net.parameters()) tensors.push_back(tensor.detach().clone());
  for (const Tensor& tensor : net.buffers()) tensors.push_back(tensor.clone());
  return tensors;
}

void ExpectSame(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_TRUE(torch::equal(left[i], right[i])) << "tensor " << i;
}

class CheckpointTest : public BucketTest {
 protected:
  CheckpointTest() { torch::manual_seed(1); }

  void Save(Net& net, torch::optim::Optimizer* optimizer, std::map<std::string, std::int64_t> numbers = {}) const {
    SaveCheckpoint(client_, object_, {.module = &net, .optimizer = optimizer, .numbers = std::move(numbers)});
  }

  std::map<std::string, std::int64_t> Load(Net& net, torch::optim::Optimizer* optimizer) const {
    TrainingState state{.module = &net, .optimizer = optimizer};
    LoadCheckpoint(client_, object_, state);
    return state.numbers;
  }

  /// Expects that loading into `net` fails, with these words, and changes nothing.
  void ExpectRefused(Net& net, torch::optim::Optimizer* optimizer, const std::string& words) const {
    const std::vector<Tensor> before = StateOf(net);
    const std::size_t states_before = optimizer == nullptr ? 0 : optimizer->state().size();
    const Error error = ThrownBy([&] { Load(net, optimizer); });
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << error.message;
    EXPECT_THAT(error.message, AllOf(HasSubstr("gs://torch-test/checkpoints/c.pt"), HasSubstr(words)));
    ExpectSame(StateOf(net), before);
    const std::size_t states = optimizer == nullptr ? 0 : optimizer->state().size();
    EXPECT_EQ(states, states_before);
  }

  /// Trains, saves, trains on; another pair loads and trains on alike: both must end in the same place.
  template <class MakeOptimizer>
  void ExpectTrainingGoesOn(const MakeOptimizer& make_optimizer) const {
    Net net;
    auto optimizer = make_optimizer(net);
    Train(net, optimizer, 3);
    Save(net, &optimizer);
    torch::manual_seed(2);
    Train(net, optimizer, 3);

    Net resumed;
    auto resumed_optimizer = make_optimizer(resumed);
    Load(resumed, &resumed_optimizer);
    torch::manual_seed(2);
    Train(resumed, resumed_optimizer, 3);
    ExpectSame(StateOf(resumed), StateOf(net));
  }

  ObjectName object_ = {"torch-test", "checkpoints/c.pt"};
};

TEST_F(CheckpointTest, BringsParametersAndBuffersBackBitForBit) {
  Net net;
  torch::optim::Adam adam(net.parameters());
  Train(net, adam, 3);
  Save(net, &adam);
  Net loaded;
  torch::optim::Adam loaded_adam(loaded.parameters());
  Load(loaded, &loaded_adam);
  ExpectSame(StateOf(loaded), StateOf(net));
}

TEST_F(CheckpointTest, TrainingGoesOnWithAdam) {
  ExpectTrainingGoesOn([](Net& net) { return torch::optim::Adam(net.parameters()); });
}

TEST_F(CheckpointTest, TrainingGoesOnWithMomentum) {
  ExpectTrainingGoesOn(
      [](Net& net) { return torch::optim::SGD(net.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9)); });
}

TEST_F(CheckpointTest, TrainingGoesOnWithLbfgsOnceItsHistoryIsFull) {
  ExpectTrainingGoesOn([](Net& net) {
    return torch::optim::LBFGS(net.parameters(), torch::optim::LBFGSOptions(0.1).max_iter(6).history_size(2));
  });
}

TEST_F(CheckpointTest, WhatLibtorchCannotWriteIsAnErrorAndLeavesNothing) {
  Net net;
  torch::optim::LBFGS lbfgs(net.parameters());  // Its history of 100 steps has undefined tensors until it is full.
  Train(net, lbfgs, 1);
  const Error error = ThrownBy([&] { Save(net, &lbfgs); });
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("gs://torch-test/checkpoints/c.pt"), HasSubstr("UndefinedTensorImpl")));
  EXPECT_TRUE(StoredNames().empty());
}

TEST_F(CheckpointTest, BringsTheLearningRateBack) {
  Net net;
  torch::optim::Adam adam(net.parameters(), torch::optim::AdamOptions(0.125));
  Save(net, &adam);
  torch::optim::Adam loaded(net.parameters(), torch::optim::AdamOptions(0.5));
  Load(net, &loaded);
  EXPECT_EQ(loaded.param_groups()[0].options().get_lr(), 0.125);
}

TEST_F(CheckpointTest, DropsOptimizerStateThatTheCheckpointDoesNotHave) {
  Net net;
  torch::optim::Adam adam(net.parameters());
  Save(net, &adam);
  Train(net, adam, 1);
  ASSERT_FALSE(adam.state().empty());
  Load(net, &adam);
  EXPECT_TRUE(adam.state().empty());
}

TEST_F(CheckpointTest, BringsNumbersBack) {
  const std::vector<std::map<std::string, std::int64_t>> cases = {
      {},
      {{"epoch", 3}},
      {{"epoch", -1}, {"images seen", std::int64_t{1} << 40}, {"a \"quoted\"\nname", 0}, {"", 7}},
  };
  for (const auto& numbers : cases) {
    Net net;
    Save(net, nullptr, numbers);
    EXPECT_EQ(Load(net, nullptr), numbers);
  }
}

TEST_F(CheckpointTest, BringsTextsBack) {
  Net net;
  const std::map<std::string, std::string> texts = {{"cursor", R"({"epoch": 3})"}, {"", "a \"quoted\"\nvalue"}};
  SaveCheckpoint(client_, object_, {.module = &net, .texts = texts});
  TrainingState state{.module = &net, .texts = {{"of another run", "gone"}}};
  LoadCheckpoint(client_, object_, state);
  EXPECT_EQ(state.texts, texts);
}

TEST_F(CheckpointTest, AnEvaluationNeedsNoOptimizer) {
  Net net;
  torch::optim::Adam adam(net.parameters());
  Train(net, adam, 1);
  Save(net, &adam, {{"epoch", 1}});
  Net loaded;
  EXPECT_EQ(Load(loaded, nullptr).at("epoch"), 1);
  ExpectSame(StateOf(loaded), StateOf(net));
}

TEST_F(CheckpointTest, OptimizersKeepPointingAtTheModulesParameters) {
  Net net;
  torch::optim::SGD sgd(net.parameters(), 0.1);
  Save(net, &sgd);
  Load(net, &sgd);
  const std::vector<Tensor> before = StateOf(net);
  Train(net, sgd, 1);
  EXPECT_FALSE(torch::equal(StateOf(net)[0], before[0]));
}

TEST_F(CheckpointTest, RefusesAnotherShape) {
  Net narrow(8);
  Save(narrow, nullptr);
  Net wide(16);
  ExpectRefused(wide, nullptr, "first.weight is float32 [8, 4] in the checkpoint, Float [16, 4] in the module");
}

TEST_F(CheckpointTest, RefusesAnotherType) {
  Net halved;
  halved.last->to(torch::kHalf);
  Save(halved, nullptr);
  Net net;
  ExpectRefused(net, nullptr, "last.weight is float16 [2, 8] in the checkpoint, Float [2, 8] in the module");
}

TEST_F(CheckpointTest, RefusesABufferOfAnotherShape) {
  Net other;
  other.norm->running_mean.set_data(torch::zeros({9}));
  Save(other, nullptr);
  Net net;
  ExpectRefused(net, nullptr, "norm.running_mean is float32 [9] in the checkpoint, Float [8] in the module");
}

TEST_F(CheckpointTest, RefusesWhatLacksAParameter) {
  Net net;
  Save(net, nullptr);
  Net larger;
  larger.first->register_parameter("extra", torch::ones({1}));
  ExpectRefused(larger, nullptr, "first.extra is missing in the checkpoint");
}

TEST_F(CheckpointTest, RefusesWhatHasAnotherParameter) {
  Net larger;
  larger.first->register_parameter("extra", torch::ones({1}));
  Save(larger, nullptr);
  Net net;
  ExpectRefused(net, nullptr, "first.extra is unexpected");
}

TEST_F(CheckpointTest, RefusesWhatLacksAModule) {
  Net net;
  Save(net, nullptr);
  Net larger;
  larger.register_module("head", torch::nn::Linear(1, 1));
  ExpectRefused(larger, nullptr, "head.weight is missing in the checkpoint");
}

TEST_F(CheckpointTest, RefusesAnotherKindOfOptimizer) {
  Net net;
  torch::optim::Adam adam(net.parameters());
  Train(net, adam, 1);
  Save(net, &adam);
  torch::optim::SGD sgd(net.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  Train(net, sgd, 1);
  ExpectRefused(net, &sgd, "another kind of optimizer");
}

TEST_F(CheckpointTest, RefusesOtherParameterGroups) {
  Net net;
  torch::optim::Adam adam(net.parameters());
  Save(net, &adam);
  torch::optim::Adam of_two_groups({net.first->parameters(), net.last->parameters()});
  ExpectRefused(net, &of_two_groups, "it has 1 parameter groups there, and 2 here");
  torch::optim::Adam of_fewer(net.first->parameters());
  ExpectRefused(net, &of_fewer, "a group has 6 parameters there, and 2 here");
}

TEST_F(CheckpointTest, RefusesOptimizerStateOfAnotherOrder) {
  Net net;
  torch::optim::Adam adam({net.scale, net.last->weight});
  Train(net, adam, 1);
  Save(net, &adam);
  torch::optim::Adam reversed({net.last->weight, net.scale});
  ExpectRefused(net, &reversed, "exp_avg is of");
}

TEST_F(CheckpointTest, RefusesACheckpointWithoutTheOptimizer) {
  Net net;
  Save(net, nullptr);
  torch::optim::Adam adam(net.parameters());
  ExpectRefused(net, &adam, "it holds no optimizer");
}

TEST_F(CheckpointTest, RefusesAnArchiveThatIsNoCheckpoint) {
  Net net;
  SaveArchive(client_, object_, [&](auto& archive) { net.save(archive); });
  ExpectRefused(net, nullptr, "it holds no module");
}

TEST_F(CheckpointTest, NeedsAModule) {
  TrainingState state;
  EXPECT_EQ(ThrownBy([&] { SaveCheckpoint(client_, object_, state); }).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ThrownBy([&] { LoadCheckpoint(client_, object_, state); }).code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(StoredNames().empty());
}

}  // namespace
}  // namespace gcsflux
