// libtorch's own reads and writes over object streams; and the parts that its archives and ours share.
#include <gmock/gmock.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>

#include <sstream>

#include "gcsflux/object_streams.h"
#include "gcsflux/torch/state_dict.h"
#include "support/fails_with.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

class TorchSaveTest : public BucketTest {
 protected:
  TorchSaveTest() { torch::manual_seed(1); }

  [[nodiscard]] ObjectInputStream Opened() const {
    return ObjectInputStream(ValueOrThrow(ObjectReader::Open(client_, object_)));
  }

  ObjectName object_ = {"torch-test", "c.pt"};
};

// LBFGS has no known state_dict: libtorch's own archive is its only form.
TEST_F(TorchSaveTest, RoundTripsAnyOptimizerThroughStreams) {
  torch::nn::Linear net(3, 2);
  const auto options = torch::optim::LBFGSOptions(0.125).history_size(3).max_iter(10);
  torch::optim::LBFGS saved(net->parameters(), options);
  saved.step([&] {  // Its history is full afterwards: libtorch cannot write one with holes.
    saved.zero_grad();
    auto loss = (net->forward(torch::randn({16, 3})) - 1).pow(2).mean();
    loss.backward();
    return loss;
  });
  ObjectOutputStream out(client_, object_);
  torch::save(saved, out);
  ASSERT_TRUE(out.Close().ok()) << out.error()->message;

  torch::optim::LBFGS loaded(net->parameters(), options);
  ObjectInputStream in = Opened();
  torch::load(loaded, in);
  EXPECT_FALSE(in.error());
  EXPECT_TRUE(in.reader().VerifyWhole().ok());
  std::ostringstream of_saved;
  std::ostringstream of_loaded;
  torch::save(saved, of_saved);
  torch::save(loaded, of_loaded);
  EXPECT_EQ(of_saved.str().size(), of_loaded.str().size());
  EXPECT_EQ(loaded.state().size(), saved.state().size());
  EXPECT_GT(saved.state().size(), 0U);
}

TEST_F(TorchSaveTest, WritesTheSameFileAsTorchSave) {
  const torch::Tensor tensor = torch::arange(1000);
  std::ostringstream file;
  torch::save(tensor, file);
  ObjectOutputStream out(client_, object_);
  torch::save(tensor, out);
  ASSERT_TRUE(out.Close().ok());
  EXPECT_TRUE(ValueOrThrow(client_.ReadObject(object_)) == file.str());
}

TEST_F(TorchSaveTest, LeavesNothingAfterACancelledSave) {
  std::stop_source stop;
  stop.request_stop();
  ObjectOutputStream out(client_, object_, {.stop = stop.get_token()});
  torch::save(torch::ones({1 << 20}), out);
  EXPECT_TRUE(testing::FailsWith(out.Close(), ErrorCode::kCancelled));
  EXPECT_EQ(StoredNames(), std::vector<std::string>());
}

// Two names of one memory, into which two requests must not read at the same time.
TEST_F(TorchSaveTest, RoundTripsTiedWeights) {
  const auto make = [] {
    torch::nn::Sequential net(torch::nn::Linear(3, 3), torch::nn::Linear(3, 3));
    net->children()[1]->as<torch::nn::Linear>()->weight = net->children()[0]->as<torch::nn::Linear>()->weight;
    net->children()[1]->named_parameters(false)["weight"].set_data(net->children()[0]->parameters(false)[0].data());
    return net;
  };
  const auto saved = make();
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    SaveStateDict(client_, "gs://torch-test/c.pt", *saved, format);
    for (const LoadMode mode : {LoadMode::kInPlace, LoadMode::kAllOrNothing}) {
      auto loaded = make();
      LoadStateDict(client_, "gs://torch-test/c.pt", *loaded, {.mode = mode});
      const auto parameters = loaded->named_parameters();
      EXPECT_TRUE(torch::equal(parameters["0.weight"], saved->named_parameters()["0.weight"]));
      EXPECT_EQ(parameters["0.weight"].data_ptr(), parameters["1.weight"].data_ptr());
    }
  }
}

}  // namespace
}  // namespace gcsflux
