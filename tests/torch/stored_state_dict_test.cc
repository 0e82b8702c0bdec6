// State dicts of modules, in objects and files, in each format.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/serialize.h>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/state_dict.h"
#include "support/fails_with.h"
#include "support/test_directory.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

namespace nn = torch::nn;
using enum CheckpointFormat;
using ::testing::HasSubstr;

nn::Sequential StoredNet(int width = 3) { return nn::Sequential(nn::Linear(4, width), nn::BatchNorm1d(width)); }

bool AreSame(const nn::Sequential& a, const nn::Sequential& b) {
  const auto of = [](const nn::Sequential& net) {
    auto tensors = net->parameters();
    for (const at::Tensor& buffer : net->buffers()) tensors.push_back(buffer);
    return tensors;
  };
  const auto first = of(a);
  const auto second = of(b);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const at::Tensor& one, const at::Tensor& other) { return at::equal(one, other); });
}

class StoredStateDictTest : public BucketTest {
 protected:
  [[nodiscard]] std::vector<std::string> Places() const { return {"gs://torch-test/net", directory_.path() / "net"}; }

  testing::TestDirectory directory_;
};

TEST_F(StoredStateDictTest, RoundTripsAModuleInEachFormat) {
  for (const std::string& uri : Places()) {
    for (const CheckpointFormat format : {kTorchFile, kSafetensors, kLibtorchArchive}) {
      const auto saved = StoredNet();
      const auto metadata = SaveStateDict(client_, uri, *saved, format);
      const auto checkpoint = ValueOrThrow(OpenCheckpoint(client_, uri));
      EXPECT_EQ(checkpoint.format(), format);
      EXPECT_EQ(checkpoint.size(), metadata.size);
      for (const LoadMode mode : {LoadMode::kInPlace, LoadMode::kAllOrNothing}) {
        auto loaded = StoredNet();
        ASSERT_FALSE(AreSame(saved, loaded));
        LoadStateDict(client_, uri, *loaded, {.mode = mode});
        EXPECT_TRUE(AreSame(saved, loaded)) << uri << ": " << FormatName(format);
      }
    }
  }
}

TEST_F(StoredStateDictTest, AStateComesBackFromOneFile) {
  auto net = StoredNet();
  torch::optim::Adam adam(net->parameters());
  net->forward(at::ones({5, 4})).sum().backward();
  adam.step();
  for (const std::string& uri : Places()) {
    SaveStateDict(client_, uri,
                  RunState{.modules = {{"model", &*net}},
                           .optimizers = {{"optimizer", &adam}},
                           .numbers = {{"epoch", 3}},
                           .texts = {{"by", "me"}}});
    const auto checkpoint = ValueOrThrow(OpenCheckpoint(client_, uri));
    auto loaded = StoredNet();
    torch::optim::Adam loaded_adam(loaded->parameters());
    LoadModule(*loaded, checkpoint, {.prefix = "model."});
    LoadOptimizer(loaded_adam, checkpoint);
    EXPECT_TRUE(AreSame(net, loaded));
    EXPECT_EQ(loaded_adam.state().size(), adam.state().size());
    EXPECT_EQ(ValueOrThrow(checkpoint.ReadValue("numbers")), R"({"epoch":3})");
    EXPECT_EQ(ValueOrThrow(checkpoint.ReadValue("texts.by")), R"("me")");
  }
  EXPECT_THROW(SaveStateDict(client_, Places().front(), RunState{.slices = {{"w", {.local = at::ones({1})}}}}),
               StorageError);
}

TEST_F(StoredStateDictTest, IsReadableByLibtorchInItsFormat) {
  const auto saved = StoredNet();
  const std::string path = directory_.path() / "net";
  SaveStateDict(client_, path, *saved, kLibtorchArchive);
  auto loaded = StoredNet();
  torch::load(loaded, path);
  EXPECT_TRUE(AreSame(saved, loaded));
}

TEST_F(StoredStateDictTest, RoundTripsTensorsByName) {
  const at::Tensor base = at::arange(24, at::kFloat).reshape({4, 6});
  const NamedTensors saved = {{"a.base", base}, {"a.transposed", base.t()}, {"b", at::ones({2}, at::kBFloat16)}};
  for (const std::string& uri : Places()) {
    for (const CheckpointFormat format : {kTorchFile, kSafetensors}) {
      SaveStateDict(client_, uri, saved, format);
      EXPECT_EQ(LoadStateDict(client_, uri).size(), 3U);
      const NamedTensors loaded = LoadStateDict(client_, uri, "a.");
      ASSERT_EQ(loaded.size(), 2U);
      for (const auto& [name, tensor] : loaded) {
        EXPECT_TRUE(at::equal(tensor, name == "a.base" ? base : base.t())) << name;
      }
    }
  }
}

TEST_F(StoredStateDictTest, RefusesUnsupportedFormatsWithoutStoring) {
  const NamedTensors tensors = {{"t", at::ones({2})}};
  const NamedTensors sparse = {{"t", at::eye(3).to_sparse()}};
  const std::string uri = Places().front();
  for (const auto& [named, format] : {std::pair{&tensors, kLibtorchArchive},
                                      {&tensors, kSafetensorsIndex},
                                      {&sparse, kTorchFile},
                                      {&sparse, kSafetensors}}) {
    const Error error = ThrownBy([&] { SaveStateDict(client_, uri, *named, format); });
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << FormatName(format);
  }
  EXPECT_TRUE(StoredNames().empty());
}

// libtorch's archives have the memory of such a view, whose elements have the opposite sign.
TEST_F(StoredStateDictTest, RefusesLazyViewsInAnArchiveOfLibtorch) {
  struct OneLazyBuffer : nn::Module {
    explicit OneLazyBuffer(const at::Tensor& tensor) { register_buffer("own", tensor); }
  };
  const at::Tensor plain = at::complex(at::arange(4, at::kFloat), at::arange(4, at::kFloat) + 1);
  for (const at::Tensor& view : {plain.conj(), at::imag(plain.conj())}) {
    const Error error =
        ThrownBy([&] { SaveStateDict(client_, Places().front(), OneLazyBuffer(view), kLibtorchArchive); });
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument, HasSubstr("own is a view by conj()")));
    EXPECT_TRUE(StoredNames().empty());
  }
}

TEST_F(StoredStateDictTest, DoesNotChangeAStagedModuleOnDamage) {
  for (const CheckpointFormat format : {kTorchFile, kSafetensors, kLibtorchArchive}) {
    const auto saved = StoredNet(40);
    const std::string uri = Places().front();
    SaveStateDict(client_, uri, *saved, format);
    std::string bytes = ValueOrThrow(client_.ReadObject(Object("net")));
    const auto weight = saved->parameters().front();
    const std::size_t at = bytes.find(std::string(static_cast<const char*>(weight.data_ptr()), weight.nbytes()));
    ASSERT_NE(at, bytes.npos);
    bytes[at + 5] = static_cast<char>(bytes[at + 5] ^ 1);
    Put("net", bytes);
    auto loaded = StoredNet(40);
    const auto before = loaded->parameters().front().detach().clone();
    EXPECT_TRUE(
        testing::FailsWith(ThrownBy([&] { LoadStateDict(client_, uri, *loaded, {.mode = LoadMode::kAllOrNothing}); }),
                           ErrorCode::kCorrupted, HasSubstr(uri)));
    EXPECT_TRUE(at::equal(loaded->parameters().front(), before));
    const Error touched = ThrownBy([&] { LoadStateDict(client_, uri, *loaded); });
    EXPECT_THAT(touched.message, HasSubstr("the module was touched"));
  }
}

TEST_F(StoredStateDictTest, RefusesAnOptimizerInSafetensors) {
  auto net = StoredNet();
  const std::string uri = Places().front();
  SaveStateDict(client_, uri, *net, kSafetensors);
  torch::optim::Adam adam(net->parameters());
  const auto checkpoint = ValueOrThrow(OpenCheckpoint(client_, uri));
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { LoadOptimizer(adam, checkpoint); }), ErrorCode::kUndecodable,
                                 HasSubstr("safetensors")));
}

}  // namespace
}  // namespace gcsflux
