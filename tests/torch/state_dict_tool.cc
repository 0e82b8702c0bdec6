// Continues a training run of Python's, and saves it for Python: state_dict_tool OPTIMIZER FROM TO STEPS
//
// FROM holds "model", "optimizer" and "data", a batch for each step; prints each step's loss.

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "formats/local_file.h"
#include "gcsflux/torch/state_dict.h"
#include "torch/state_dict_writer.h"

namespace gcsflux {
namespace {

namespace nn = torch::nn;
namespace optim = torch::optim;

// conv_net() of interop.py.
nn::Sequential MakeNet() {
  return nn::Sequential(nn::Conv2d(1, 4, 3), nn::BatchNorm2d(4), nn::ReLU(), nn::Flatten(), nn::Linear(144, 3));
}

// With other options than the checkpoint's: loading must set them.
std::unique_ptr<optim::Optimizer> MakeOptimizer(const std::string& name, const std::vector<at::Tensor>& parameters) {
  if (name == "Adam") return std::make_unique<optim::Adam>(parameters);
  if (name == "AdamW") return std::make_unique<optim::AdamW>(parameters);
  if (name == "SGD") return std::make_unique<optim::SGD>(parameters, 1.0);
  if (name == "SGD of two groups") {
    const std::vector<at::Tensor> first(parameters.begin(), parameters.begin() + 2);
    const std::vector<at::Tensor> rest(parameters.begin() + 2, parameters.end());
    return std::make_unique<optim::SGD>(std::vector<optim::OptimizerParamGroup>{first, rest}, optim::SGDOptions(1.0));
  }
  if (name == "RMSprop") return std::make_unique<optim::RMSprop>(parameters);
  if (name == "Adagrad") return std::make_unique<optim::Adagrad>(parameters);
  throw std::invalid_argument("no optimizer " + name);
}

void Train(nn::Sequential& net, optim::Optimizer& optimizer, const at::Tensor& data, int steps) {
  net->train();
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const at::Tensor loss = net->forward(data[step]).square().mean();
    loss.backward();
    optimizer.step();
    std::printf("%.9g\n", loss.item<double>());
  }
}

void Run(const std::string& kind, const std::string& from, const std::string& to, int steps) {
  auto net = MakeNet();
  const auto optimizer = MakeOptimizer(kind, net->parameters());
  const StoredCheckpoint file(ValueOrThrow(StoredCheckpoint::Open(ValueOrThrow(formats_tests::OpenLocalFile(from)))));
  LoadModule(*net, file, {.prefix = "model."});
  LoadOptimizer(*optimizer, file);
  Train(net, *optimizer, ReadTensor(file, "data"), steps);

  StateDictWriter writer;
  pickled::Dict root;
  root.entries.push_back({{.any = std::string("model")}, writer.OfModule(*net)});
  root.entries.push_back({{.any = std::string("optimizer")}, writer.OfOptimizer(*optimizer)});
  root.entries.push_back({{.any = std::string("steps")}, {.any = std::int64_t{steps}}});
  WriteTorchFile(std::move(writer).Gather({.any = std::move(root)}), ValueOrThrow(formats_tests::CreateLocalFile(to)));
}

}  // namespace
}  // namespace gcsflux

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: state_dict_tool OPTIMIZER FROM TO STEPS\n";
    return 2;
  }
  try {
    gcsflux::Run(arguments[1], arguments[2], arguments[3], std::stoi(arguments[4]));
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
  return 0;
}
