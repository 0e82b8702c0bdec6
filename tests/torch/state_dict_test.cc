#include "gcsflux/torch/state_dict.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/lbfgs.h>

#include <cmath>

#include "formats/memory_file.h"
#include "formats/torch_file_writer.h"
#include "support/fails_with.h"
#include "torch/state_dict_writer.h"

namespace gcsflux {
namespace {

namespace nn = torch::nn;
using formats_tests::SinkInto;
using formats_tests::SourceOver;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

nn::Sequential MakeNet(int outputs = 3) { return nn::Sequential(nn::Linear(4, outputs), nn::BatchNorm1d(outputs)); }

std::string FileOf(const nn::Sequential& net) {
  std::string file;
  StateDictWriter writer;
  pickled::Value root = writer.OfModule(*net);
  WriteTorchFile(std::move(writer).Gather(std::move(root)), SinkInto(file));
  return file;
}

std::string FileOf(const NamedTensors& tensors) {
  std::string file;
  StateDictWriter writer;
  pickled::Value root = writer.OfTensors(tensors);
  WriteTorchFile(std::move(writer).Gather(std::move(root)), SinkInto(file));
  return file;
}

StoredCheckpoint Opened(const std::string& file) { return ValueOrThrow(StoredCheckpoint::Open(SourceOver(file))); }

template <class Call>
Error ThrownBy(const Call& call) {
  try {
    call();
  } catch (const StorageError& thrown) {
    return thrown.error();
  }
  ADD_FAILURE() << "no StorageError was thrown";
  return {};
}

std::vector<at::Tensor> CopiesOf(const nn::Sequential& net) {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& tensor : net->parameters()) copies.push_back(tensor.detach().clone());
  for (const at::Tensor& tensor : net->buffers()) copies.push_back(tensor.detach().clone());
  return copies;
}

bool AreSame(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const at::Tensor& one, const at::Tensor& other) { return at::equal(one, other); });
}

TEST(StateDict, RoundTripsAModule) {
  for (const LoadMode mode : {LoadMode::kInPlace, LoadMode::kAllOrNothing}) {
    auto saved = MakeNet();
    auto loaded = MakeNet();
    ASSERT_FALSE(AreSame(CopiesOf(saved), CopiesOf(loaded)));
    const std::string bytes = FileOf(saved);
    LoadModule(*loaded, Opened(bytes), {.mode = mode});
    EXPECT_TRUE(AreSame(CopiesOf(saved), CopiesOf(loaded)));
  }
}

struct OneBuffer : nn::Module {
  explicit OneBuffer(const at::Tensor& tensor) : own(register_buffer("own", tensor)) {}
  at::Tensor own;
};

TEST(StateDict, LoadsValuesIntoLazyViews) {
  const at::Tensor saved = at::complex(at::arange(4, at::kFloat), at::arange(4, at::kFloat) + 1);
  const std::string file = FileOf({{"own", saved}});
  for (const LoadMode mode : {LoadMode::kInPlace, LoadMode::kAllOrNothing}) {
    OneBuffer loaded(at::zeros({4}, at::kComplexFloat).conj());
    ASSERT_TRUE(loaded.own.is_conj() && loaded.own.is_contiguous());
    LoadModule(loaded, Opened(file), {.mode = mode});
    EXPECT_TRUE(at::equal(loaded.own, saved)) << "mode " << static_cast<int>(mode);
  }
}

// Memory that is written directly does not need libtorch's permission; copy_() does.
TEST(StateDict, LoadsInferenceTensorsUnlessItMustCopy) {
  const at::Tensor saved = at::arange(6, at::kFloat).reshape({2, 3});
  const std::string file = FileOf({{"own", saved}});
  std::optional<OneBuffer> in_order;
  std::optional<OneBuffer> in_strides;
  {
    const c10::InferenceMode guard;
    in_order.emplace(at::zeros({2, 3}));
    in_strides.emplace(at::zeros({3, 2}).t());
  }
  for (const LoadMode mode : {LoadMode::kInPlace, LoadMode::kAllOrNothing}) {
    OneBuffer& refused = mode == LoadMode::kAllOrNothing ? *in_order : *in_strides;
    EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { LoadModule(refused, Opened(file), {.mode = mode}); }),
                                   ErrorCode::kInvalidArgument,
                                   AllOf(HasSubstr("own was made in InferenceMode"), Not(HasSubstr("touched")))));
    EXPECT_EQ(refused.own.sum().item<float>(), 0);
  }
  LoadModule(*in_order, Opened(file));
  EXPECT_TRUE(at::equal(in_order->own, saved));
}

struct TwoBuffers : nn::Module {
  explicit TwoBuffers(const at::Tensor& second) {
    register_buffer("first", at::zeros({2, 3}));
    register_buffer("second", second);
  }
};

TEST(StateDict, RefusesATensorWithoutMemoryBeforeChanges) {
  const at::Tensor saved = at::ones({2, 3});
  const std::string file = FileOf({{"first", saved}, {"second", saved}});
  for (const at::Tensor& second : {at::empty({2, 3}, at::TensorOptions(at::kMeta)), at::zeros({2, 3}).to_sparse(),
                                   at::quantize_per_tensor(at::zeros({2, 3}), 0.1, 0, at::kQInt8)}) {
    for (const LoadMode mode : {LoadMode::kInPlace, LoadMode::kAllOrNothing}) {
      TwoBuffers module(second);
      EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { LoadModule(module, Opened(file), {.mode = mode}); }),
                                     ErrorCode::kInvalidArgument,
                                     HasSubstr("second is sparse, quantised, nested or on the meta device")));
      EXPECT_EQ(module.named_buffers()["first"].sum().item<float>(), 0);
    }
  }
}

TEST(StateDict, Complex32IsRefusedBeforeItIsWritten) {
  const at::Tensor half = at::zeros({2, 2}).to(at::kHalf);
  EXPECT_THAT(ThrownBy([&] { FileOf({{"z", at::view_as_complex(half)}}); }).message, HasSubstr("complex32"));
}

// PyTorch lets the offset of a view without elements lie behind its storage.
TEST(StateDict, RoundTripsAnEmptyViewPastItsStorage) {
  const at::Tensor empty = at::arange(12, at::kFloat).reshape({3, 4}).slice(1, 4).slice(0, 3);
  ASSERT_GT(empty.storage_offset(), 12);
  const std::string file = FileOf({{"empty", empty}, {"one", at::ones({1})}});
  const NamedTensors tensors = ReadTensors(Opened(file));
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].second.sizes(), empty.sizes());
}

TEST(StateDict, ListsAllDifferencesWithoutChanges) {
  auto saved = nn::Sequential(nn::Linear(4, 5), nn::BatchNorm1d(3), nn::Linear(2, 2));
  auto loaded = nn::Sequential(nn::Linear(4, 3), nn::BatchNorm1d(3), nn::BatchNorm1d(1));
  const auto before = CopiesOf(loaded);
  const std::string bytes = FileOf(saved);
  EXPECT_TRUE(
      testing::FailsWith(ThrownBy([&] { LoadModule(*loaded, Opened(bytes)); }), ErrorCode::kUndecodable,
                         AllOf(HasSubstr("0.weight is float32 [5, 4] in the checkpoint, Float [3, 4] in the module"),
                               HasSubstr("0.bias is float32 [5]"), HasSubstr("2.weight is float32 [2, 2]"),
                               HasSubstr("2.running_mean is missing"), HasSubstr("2.num_batches_tracked is missing"))));
  EXPECT_TRUE(AreSame(CopiesOf(loaded), before));
}

TEST(StateDict, AllowsOtherNamesButNotTypes) {
  auto saved = nn::Sequential(nn::Linear(4, 3));
  auto loaded = MakeNet();
  const std::string bytes = FileOf(saved);
  EXPECT_THAT(ThrownBy([&] { LoadModule(*loaded, Opened(bytes)); }).message, HasSubstr("1.running_var is missing"));
  LoadModule(*loaded, Opened(bytes), {.is_strict = false});
  EXPECT_TRUE(at::equal(loaded->parameters()[0], saved->parameters()[0]));
  EXPECT_THAT(ThrownBy([&] { LoadModule(*saved, Opened(FileOf(MakeNet()))); }).message,
              HasSubstr("1.weight is unexpected"));
  const std::string doubles = FileOf(NamedTensors{{"0.weight", at::zeros({3, 4}, at::kDouble)}});
  const Error error = ThrownBy([&] { LoadModule(*saved, Opened(doubles), {.is_strict = false}); });
  EXPECT_THAT(error.message, HasSubstr("0.weight is float64"));
}

TEST(StateDict, MapsNames) {
  auto net = nn::Sequential(nn::Linear(1, 1));
  const at::Tensor weight = at::full({1, 1}, 7.0);
  const std::string bytes = FileOf(NamedTensors{
      {"model.module.fc.weight", weight}, {"model.module.fc.bias", at::zeros({1})}, {"other.weight", at::zeros({2})}});
  const LoadModuleOptions options{.prefix = "model.", .renames = {{"^module\\.", ""}, {"^fc\\.", "0."}}};
  LoadModule(*net, Opened(bytes), options);
  EXPECT_TRUE(at::equal(net->parameters()[0], weight));
  const Error two = ThrownBy([&] { LoadModule(*net, Opened(bytes), {.renames = {{".*", "same"}}}); });
  EXPECT_EQ(two.code, ErrorCode::kInvalidArgument);
  const Error pattern = ThrownBy([&] { LoadModule(*net, Opened(bytes), {.renames = {{"(", ""}}}); });
  EXPECT_EQ(pattern.code, ErrorCode::kInvalidArgument);
}

TEST(StateDict, NamesThePrefixThatIsMissing) {
  auto net = nn::Sequential(nn::Linear(2, 1));
  const std::string bytes = FileOf(NamedTensors{{"model.0.weight", at::ones({1, 2})}, {"model.0.bias", at::ones({1})}});
  const Error error = ThrownBy([&] { LoadModule(*net, Opened(bytes)); });
  EXPECT_THAT(error.message, HasSubstr("set LoadModuleOptions::prefix to 'model.'"));
  LoadModule(*net, Opened(bytes), {.prefix = "model."});
}

TEST(StateDict, MapsNamesOfTorchCompile) {
  auto net = nn::Sequential(nn::Linear(1, 1));
  const at::Tensor weight = at::full({1, 1}, 7.0);
  const std::string bytes =
      FileOf(NamedTensors{{"_orig_mod.0._orig_mod.weight", weight}, {"_orig_mod.0._orig_mod.bias", at::zeros({1})}});
  LoadModule(*net, Opened(bytes), {.renames = {{R"(\b_orig_mod\.)", ""}}});
  EXPECT_TRUE(at::equal(net->parameters()[0], weight));
}

TEST(StateDict, DoesNotChangeAStagedModuleOnDamage) {
  auto saved = MakeNet();
  auto loaded = MakeNet();
  std::string bytes = FileOf(saved);
  const auto* const last = static_cast<const char*>(saved->buffers()[1].data_ptr());  // running_var: ones
  const std::size_t at = bytes.rfind(std::string(last, 12));
  ASSERT_NE(at, bytes.npos);
  bytes[at] = 'x';
  const auto before = CopiesOf(loaded);
  EXPECT_EQ(ThrownBy([&] { LoadModule(*loaded, Opened(bytes), {.mode = LoadMode::kAllOrNothing}); }).code,
            ErrorCode::kCorrupted);
  EXPECT_TRUE(AreSame(CopiesOf(loaded), before));
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { LoadModule(*loaded, Opened(bytes)); }), ErrorCode::kCorrupted,
                                 HasSubstr("the module was touched")));
}

TEST(StateDict, KeepsViewsOfOneStorage) {
  const at::Tensor base = at::arange(24, at::kFloat).reshape({4, 6});
  const NamedTensors saved = {{"base", base},
                              {"transposed", base.t()},
                              {"rows", base.slice(0, 1, 3)},
                              {"expanded", base[0].expand({5, 6})},
                              {"bits", base.view(at::kInt)},
                              {"scalar", at::scalar_tensor(5)},
                              {"empty", at::empty({0, 3})},
                              {"complex", at::ones({2}, at::kComplexFloat)}};
  const std::string bytes = FileOf(saved);
  const NamedTensors loaded = ReadTensors(Opened(bytes));
  ASSERT_EQ(loaded.size(), saved.size());
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(loaded[i].first, saved[i].first);
    EXPECT_EQ(loaded[i].second.strides(), saved[i].second.strides()) << saved[i].first;
    EXPECT_TRUE(at::equal(loaded[i].second, saved[i].second)) << saved[i].first;
  }
  loaded[0].second[1][0] = 100;
  EXPECT_EQ(loaded[1].second[0][1].item<float>(), 100);
  EXPECT_EQ(loaded[2].second[0][0].item<float>(), 100);
  EXPECT_EQ(ReadTensors(Opened(bytes), "r").size(), 1U);
  EXPECT_TRUE(at::equal(ReadTensor(Opened(bytes), "transposed"), saved[1].second));
}

// Written by hand: libtorch makes neither.
TEST(StateDict, SurvivesTensorsThatLibtorchCannotMake) {
  const TensorLayout huge{.shape = {std::int64_t{1} << 50}, .strides = {0}};
  const TensorLayout whole{.dtype = DType::kInt64, .requires_grad = true, .storage = 1, .shape = {1}, .strides = {1}};
  const TorchFileContents contents{
      .root = {.any = pickled::Dict{.entries = {{{.any = std::string("huge")}, {.any = huge}},
                                                {{.any = std::string("whole")}, {.any = whole}}}}},
      .storage_bytes = {4, 8}};
  std::string bytes;
  const StorageWriter zeros = [&](std::size_t storage, const ByteSink& sink) {
    const std::string data(contents.storage_bytes[storage], '\0');
    return sink(formats_tests::BytesOf(data));
  };
  ValueOrThrow(WriteTorchFile(contents, zeros, SinkInto(bytes)));
  EXPECT_EQ(ThrownBy([&] { ReadTensor(Opened(bytes), "huge"); }).code, ErrorCode::kUndecodable);
  const NamedTensors tensors = ReadTensors(Opened(bytes));
  EXPECT_EQ(tensors[0].second.numel(), std::int64_t{1} << 50);
  EXPECT_FALSE(tensors[1].second.requires_grad());
}

TEST(StateDict, RefusesUnsupportedTensors) {
  StateDictWriter writer;
  const at::Tensor nested = at::_nested_tensor_from_tensor_list({at::zeros({2}), at::zeros({3})});
  for (const at::Tensor& tensor :
       {at::Tensor(), at::eye(3).to_sparse(), at::empty({2}, at::device(at::kMeta)), nested}) {
    EXPECT_EQ(ThrownBy([&] { writer.OfTensor(tensor); }).code, ErrorCode::kInvalidArgument);
  }
  auto net = MakeNet();
  EXPECT_EQ(ThrownBy([&] { writer.OfOptimizer(torch::optim::LBFGS(net->parameters())); }).code,
            ErrorCode::kInvalidArgument);
}

TEST(StateDict, RefusesTwoTensorsWithOneName) {
  EXPECT_TRUE(testing::FailsWith(ThrownBy([] {
                                   FileOf({{"a", at::ones({1})}, {"b", at::ones({1})}, {"a", at::zeros({1})}});
                                 }),
                                 ErrorCode::kInvalidArgument, HasSubstr("two tensors have the name 'a'")));
  EXPECT_EQ(ThrownBy([] { FileOf({{"\xff", at::ones({1})}}); }).code, ErrorCode::kInvalidArgument);
}

// std::regex recurses for each character.
TEST(StateDict, RefusesToRenameVeryLongNames) {
  auto net = MakeNet();
  const std::string file = FileOf({{std::string(1 << 20, 'a'), at::ones({1})}});
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] {
                                   LoadModule(*net, Opened(file), {.renames = {{"(a|b)*c", ""}}});
                                 }),
                                 ErrorCode::kInvalidArgument, HasSubstr("too long to be renamed")));
  const std::string longest = std::string(1017, 'a') + ".weight";  // 1,024 bytes.
  const std::string renamed = FileOf({{longest, at::ones({3, 4})}});
  LoadModule(*net, Opened(renamed), {.renames = {{"^(a|b)*[.]", "0."}}, .is_strict = false});
  EXPECT_TRUE(at::equal(net->parameters()[0], at::ones({3, 4})));
}

// A file whose "optimizer" has one group with these options beside Adam's, without those of the second list.
std::string AdamsFile(const pickled::Entries& options, const std::string& without = "") {
  torch::optim::Adam adam(std::vector<at::Tensor>{at::ones({2})}, 0.5);
  StateDictWriter writer;
  pickled::Value value = writer.OfOptimizer(adam);
  auto& dict = std::get<pickled::Dict>(value.any);
  auto& groups = std::get<pickled::List>(dict.entries[1].second.any);
  auto& group = std::get<pickled::Dict>(groups.items[0].any).entries;
  for (const auto& option : options) {
    std::erase_if(group, [&](const auto& one) { return one.first == option.first; });
    group.push_back(option);
  }
  std::erase_if(group, [&](const auto& one) { return *one.first.template As<std::string>() == without; });
  std::string bytes;
  WriteTorchFile(std::move(writer).Gather(
                     {.any = pickled::Dict{.entries = {{{.any = std::string("optimizer")}, std::move(value)}}}}),
                 SinkInto(bytes));
  return bytes;
}

TEST(StateDict, RefusesOptimizersOfPythonOnly) {
  torch::optim::Adam adam(std::vector<at::Tensor>{at::ones({2})}, 0.25);
  const std::string radam = AdamsFile({}, "amsgrad");  // It has betas too.
  EXPECT_THAT(ThrownBy([&] { LoadOptimizer(adam, Opened(radam)); }).message, HasSubstr("another kind of optimizer"));
  const std::string maximizes = AdamsFile({{{.any = std::string("maximize")}, {.any = true}}});
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { LoadOptimizer(adam, Opened(maximizes)); }), ErrorCode::kUndecodable,
                                 HasSubstr("maximize is set there")));
  EXPECT_EQ(static_cast<const torch::optim::AdamOptions&>(adam.param_groups()[0].options()).lr(), 0.25);
  const std::string minimizes = AdamsFile({{{.any = std::string("maximize")}, {.any = false}}});
  LoadOptimizer(adam, Opened(minimizes));
  EXPECT_EQ(static_cast<const torch::optim::AdamOptions&>(adam.param_groups()[0].options()).lr(), 0.5);
}

// A file with an Adam that has made a step, and this tensor instead of a number of its state or its group.
std::string AdamsFileWith(const std::string& name, const at::Tensor& tensor) {
  at::Tensor parameter = at::ones({2}).set_requires_grad(true);
  torch::optim::Adam adam(std::vector<at::Tensor>{parameter}, 0.5);
  parameter.mutable_grad() = at::ones({2});
  adam.step();
  StateDictWriter writer;
  pickled::Value value = writer.OfOptimizer(adam);
  auto& dict = std::get<pickled::Dict>(value.any);
  auto& states = std::get<pickled::Dict>(dict.entries[0].second.any);
  auto& groups = std::get<pickled::List>(dict.entries[1].second.any);
  for (pickled::Value* const numbers : {&states.entries[0].second, &groups.items[0]}) {
    for (auto& [key, number] : std::get<pickled::Dict>(numbers->any).entries) {
      if (*key.As<std::string>() == name) number = writer.OfTensor(tensor);
    }
  }
  std::string bytes;
  WriteTorchFile(std::move(writer).Gather(
                     {.any = pickled::Dict{.entries = {{{.any = std::string("optimizer")}, std::move(value)}}}}),
                 SinkInto(bytes));
  return bytes;
}

TEST(StateDict, RefusesInvalidTensorsInAnOptimizer) {
  torch::optim::Adam adam(std::vector<at::Tensor>{at::ones({2})}, 0.25);
  const auto refused = [&](const std::string& name, const at::Tensor& tensor) {
    const std::string file = AdamsFileWith(name, tensor);
    return ThrownBy([&] { LoadOptimizer(adam, Opened(file)); });
  };
  const Error complex = refused("lr", at::ones({1}, at::kComplexFloat));
  EXPECT_TRUE(testing::FailsWith(complex, ErrorCode::kUndecodable, HasSubstr("lr is not a number")));
  for (const double step : {std::nan(""), 1e30}) {
    const Error error = refused("step", at::full({1}, step));
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kUndecodable, HasSubstr("step is not a whole number")));
  }
  const std::string file = AdamsFileWith("lr", at::full({1}, 0.125));
  LoadOptimizer(adam, Opened(file));
  EXPECT_EQ(static_cast<const torch::optim::AdamOptions&>(adam.param_groups()[0].options()).lr(), 0.125);
}

TEST(StateDict, OptimizerLoadedInInferenceModeCanStep) {
  auto net = MakeNet();
  torch::optim::Adam adam(net->parameters(), 0.5);
  const auto step = [&] {
    net->forward(at::ones({2, 4})).sum().backward();
    adam.step();
  };
  step();
  StateDictWriter writer;
  pickled::Dict root;
  root.entries.push_back({{.any = std::string("optimizer")}, writer.OfOptimizer(adam)});
  std::string bytes;
  WriteTorchFile(std::move(writer).Gather({.any = std::move(root)}), SinkInto(bytes));
  {
    const c10::InferenceMode guard;
    LoadOptimizer(adam, Opened(bytes));
  }
  EXPECT_NO_THROW(step());
}

TEST(StateDict, ReadsIntegersAsNumbers) {
  const pickled::Tuple betas{{{.any = std::int64_t{0}}, {.any = 0.9}}};
  const pickled::List list{betas.items};  // PyTorch keeps the given value.
  const std::string listed = AdamsFile({{{.any = std::string("betas")}, {.any = list}}});
  const std::string file = AdamsFile({{{.any = std::string("betas")}, {.any = betas}}});
  for (const std::string& one : {file, listed}) {
    torch::optim::Adam adam(std::vector<at::Tensor>{at::ones({2})}, 0.25);
    LoadOptimizer(adam, Opened(one));
    EXPECT_EQ(static_cast<const torch::optim::AdamOptions&>(adam.param_groups()[0].options()).betas(),
              std::make_tuple(0.0, 0.9));
  }
}

TEST(StateDict, DoesNotChangeAnOptimizerOfOtherShapes) {
  auto small = MakeNet(2);
  auto large = MakeNet(3);
  torch::optim::Adam saved(small->parameters(), 0.5);
  small->forward(at::ones({2, 4})).sum().backward();
  saved.step();
  StateDictWriter writer;
  pickled::Dict root;
  root.entries.push_back({{.any = std::string("optimizer")}, writer.OfOptimizer(saved)});
  std::string bytes;
  WriteTorchFile(std::move(writer).Gather({.any = std::move(root)}), SinkInto(bytes));
  torch::optim::Adam loaded(large->parameters(), 0.25);
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { LoadOptimizer(loaded, Opened(bytes)); }), ErrorCode::kUndecodable,
                                 HasSubstr("exp_avg is of [2, 4] for a parameter of [3, 4]")));
  EXPECT_TRUE(loaded.state().empty());
  EXPECT_EQ(static_cast<const torch::optim::AdamOptions&>(loaded.param_groups()[0].options()).lr(), 0.25);
  torch::optim::Adam same(small->parameters(), 0.25);
  LoadOptimizer(same, Opened(bytes));
  EXPECT_EQ(same.state().size(), saved.state().size());
  EXPECT_EQ(static_cast<const torch::optim::AdamOptions&>(same.param_groups()[0].options()).lr(), 0.5);
  EXPECT_EQ(ThrownBy([&] { LoadOptimizer(same, Opened(bytes), "nothing"); }).code, ErrorCode::kNotFound);
  const std::vector<at::Tensor> all = small->parameters();
  const std::vector<at::Tensor> rest(all.begin() + 1, all.end());
  torch::optim::Adam divided(std::vector<torch::optim::OptimizerParamGroup>{{{all[0]}}, {rest}});
  EXPECT_EQ(ThrownBy([&] { LoadOptimizer(divided, Opened(bytes)); }).code, ErrorCode::kUndecodable);
  EXPECT_TRUE(divided.state().empty());
}

}  // namespace
}  // namespace gcsflux
