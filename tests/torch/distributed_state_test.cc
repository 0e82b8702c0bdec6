// What torch.distributed.checkpoint of PyTorch 2.15.0 saved, in libtorch's modules and optimizers.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/state_dict.h"
#include "support/test_directory.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

namespace nn = torch::nn;

nn::Sequential Net() { return nn::Sequential(nn::Linear(6, 8), nn::ReLU(), nn::Linear(8, 4)); }

class DistributedStateTest : public BucketTest {
 protected:
  testing::TestDirectory directory_;
};

at::Tensor ExpAvgOf(const torch::optim::Adam& adam, const at::Tensor& parameter) {
  const auto found = adam.state().find(c10::guts::to_string(parameter.unsafeGetTensorImpl()));
  EXPECT_NE(found, adam.state().end());
  return static_cast<const torch::optim::AdamParamState&>(*found->second).exp_avg();
}

// FSDP shards rows; the states of parameters have their names.
TEST_F(DistributedStateTest, OfFsdpIsLoadedIntoAModuleAndItsOptimizer) {
  for (const std::string name : {"fsdp1-2", "fsdp2-2"}) {
    const auto checkpoint =
        ValueOrThrow(OpenCheckpoint(client_, std::string(GCSFLUX_FORMAT_FIXTURES) + "/distributed/" + name + "/"));
    auto net = Net();
    torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.5));
    LoadModule(*net, checkpoint, {.prefix = "model."});
    LoadOptimizer(adam, checkpoint, "optimizer");
    EXPECT_EQ(static_cast<torch::optim::AdamOptions&>(adam.param_groups()[0].options()).lr(), 0.01);
    for (const auto& parameter : net->named_parameters()) {
      EXPECT_TRUE(at::equal(parameter.value(), ReadTensor(checkpoint, "model." + parameter.key())));
      EXPECT_TRUE(at::equal(ExpAvgOf(adam, parameter.value()),
                            ReadTensor(checkpoint, "optimizer.state." + parameter.key() + ".exp_avg")));
    }
  }
}

// The numbers of parameters become texts in a distributed checkpoint.
TEST_F(DistributedStateTest, OfAnOptimizerWithNumbersIsLoaded) {
  auto net = Net();
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.5));
  net->forward(at::ones({2, 6})).sum().backward();
  adam.step();
  const std::string file = directory_.path() / "net.pt";
  SaveStateDict(client_, file, RunState{.modules = {{"model", &*net}}, .optimizers = {{"adam", &adam}}});
  const std::string folder = directory_.path() / "net/";
  const ConvertOptions options{.format = CheckpointFormat::kDistributed, .shards = 2};
  ValueOrThrow(ConvertCheckpoint(client_, file, folder, options));
  const auto checkpoint = ValueOrThrow(OpenCheckpoint(client_, folder));
  auto other = Net();
  torch::optim::Adam loaded(other->parameters(), torch::optim::AdamOptions(0.1));
  LoadModule(*other, checkpoint, {.prefix = "model."});
  LoadOptimizer(loaded, checkpoint, "adam");
  EXPECT_EQ(static_cast<torch::optim::AdamOptions&>(loaded.param_groups()[0].options()).lr(), 0.5);
  for (std::size_t i = 0; i < net->parameters().size(); ++i) {
    EXPECT_TRUE(at::equal(other->parameters()[i], net->parameters()[i]));
    EXPECT_TRUE(at::equal(ExpAvgOf(loaded, other->parameters()[i]), ExpAvgOf(adam, net->parameters()[i])));
  }
}

}  // namespace
}  // namespace gcsflux
