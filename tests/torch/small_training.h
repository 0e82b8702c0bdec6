#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn.h>
#include <torch/optim.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gcsflux/torch/checkpoint_run.h"

namespace gcsflux::testing {

struct Net : torch::nn::Module {
  explicit Net(int width = 8) : first(4, width), norm(width), last(width, 2) {
    register_module("first", first);
    register_module("norm", norm);
    register_module("last", last);
  }
  torch::Tensor forward(const torch::Tensor& x) { return last(norm(torch::tanh(first(x)))); }

  torch::nn::Linear first;
  torch::nn::BatchNorm1d norm;
  torch::nn::Linear last;
};

// A trained model, with all that its next step depends on.
struct Training {
  Net net;
  torch::optim::Adam adam{net.parameters(), torch::optim::AdamOptions(0.01)};
  NamedTensors average = {{"weight", torch::zeros({2, 3})}};
  std::int64_t step = 0;

  [[nodiscard]] RunState State() {
    return {.modules = {{"model", &net}},
            .optimizers = {{"optimizer", &adam}},
            .tensors = {{"average", average}},
            .generators = {{"cpu", at::detail::getDefaultCPUGenerator()}},
            .numbers = {{"step", step}},
            .texts = {{"name", "a run"}},
            .cursor = Cursor{}};
  }
  // Samples come from the generator, as their order would.
  double Step() {
    const torch::Tensor x = torch::randn({16, 4});
    adam.zero_grad();
    const torch::Tensor loss = net.forward(x).pow(2).mean();
    loss.backward();
    adam.step();
    average[0].second += 0.5;
    ++step;
    return loss.item<double>();
  }
  std::vector<double> Steps(int count) {
    std::vector<double> losses;
    for (int i = 0; i < count; ++i) losses.push_back(Step());
    return losses;
  }
};

inline std::vector<torch::Tensor> CopyOf(const Net& net) {
  std::vector<torch::Tensor> tensors;
  for (const torch::Tensor& tensor : net.parameters()) tensors.push_back(tensor.detach().clone());
  for (const torch::Tensor& tensor : net.buffers()) tensors.push_back(tensor.clone());
  return tensors;
}

inline bool AreSame(const std::vector<torch::Tensor>& left, const std::vector<torch::Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), &torch::equal);
}

}  // namespace gcsflux::testing
