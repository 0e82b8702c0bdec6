// Optimizers from libtorch's own archives, which name a parameter by the address that it had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim.h>
#include <torch/serialize.h>

#include <sstream>

#include "formats/memory_file.h"
#include "gcsflux/torch/state_dict.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;

torch::nn::Sequential SeededNet(std::int64_t width = 3) {
  torch::manual_seed(width);
  return torch::nn::Sequential(torch::nn::Linear(4, width), torch::nn::Linear(width, 2));
}

void TrainStep(torch::nn::Sequential& net, torch::optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  net->forward(at::ones({2, 4})).square().mean().backward();
  optimizer.step();
}

StoredCheckpoint OpenedArchive(const std::string& bytes) {
  return ValueOrThrow(StoredCheckpoint::Open(formats_tests::SourceOver(bytes)));
}

// A run that resumes from its archive takes the same steps as an uninterrupted one.
template <class Optimizer, class Options>
void ExpectGoesOn(const Options& options, const Options& others, bool has_name) {
  auto net = SeededNet();
  Optimizer optimizer(net->parameters(), options);
  for (int i = 0; i < 3; ++i) TrainStep(net, optimizer);
  torch::serialize::OutputArchive own;
  optimizer.save(own);
  torch::serialize::OutputArchive archive;
  if (has_name) archive.write("optimizer", own);
  std::ostringstream bytes;
  (has_name ? archive : own).save_to(bytes);

  auto resumed = SeededNet();
  for (std::size_t i = 0; i < net->parameters().size(); ++i) {
    resumed->parameters()[i].data().copy_(net->parameters()[i].data());
  }
  Optimizer loaded(resumed->parameters(), others);
  LoadOptimizer(loaded, OpenedArchive(bytes.str()));
  for (int i = 0; i < 3; ++i) TrainStep(net, optimizer), TrainStep(resumed, loaded);
  for (std::size_t i = 0; i < net->parameters().size(); ++i) {
    EXPECT_TRUE(at::equal(resumed->parameters()[i], net->parameters()[i])) << "parameter " << i;
  }
}

TEST(ArchivedOptimizer, ContinuesTraining) {
  using namespace torch::optim;  // NOLINT(google-build-using-namespace): a table of its names
  for (const bool has_name : {false, true}) {
    ExpectGoesOn<Adam>(AdamOptions(0.1).amsgrad(true), AdamOptions(0.5), has_name);
    ExpectGoesOn<AdamW>(AdamWOptions(0.1).weight_decay(0.2), AdamWOptions(0.5), has_name);
    ExpectGoesOn<SGD>(SGDOptions(0.1).momentum(0.9), SGDOptions(0.5), has_name);
    ExpectGoesOn<RMSprop>(RMSpropOptions(0.1).momentum(0.5).centered(true), RMSpropOptions(0.5), has_name);
    ExpectGoesOn<Adagrad>(AdagradOptions(0.1).lr_decay(0.1), AdagradOptions(0.5), has_name);
  }
}

TEST(ArchivedOptimizer, RefusesAnotherKindOrShapeWithoutChanges) {
  auto net = SeededNet();
  torch::optim::SGD saved(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  TrainStep(net, saved);
  torch::serialize::OutputArchive archive;
  saved.save(archive);
  std::ostringstream bytes;
  archive.save_to(bytes);
  const auto message = [&](torch::optim::Optimizer& optimizer) -> std::string {
    try {
      LoadOptimizer(optimizer, OpenedArchive(bytes.str()));
    } catch (const StorageError& failure) {
      return failure.error().message;
    }
    return "it was loaded";
  };
  torch::optim::Adam adam(net->parameters());
  EXPECT_THAT(message(adam), HasSubstr("another kind of optimizer"));
  auto wide = SeededNet(5);
  torch::optim::SGD other(wide->parameters(), torch::optim::SGDOptions(0.5).momentum(0.9));
  EXPECT_THAT(message(other), HasSubstr("momentum_buffer is of [3, 4] for a parameter of [5, 4]"));
  EXPECT_TRUE(other.state().empty());
  EXPECT_EQ(static_cast<const torch::optim::SGDOptions&>(other.param_groups()[0].options()).lr(), 0.5);
}

}  // namespace
}  // namespace gcsflux
