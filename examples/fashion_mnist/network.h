#pragma once

#include <torch/nn.h>

/// A small convolutional network: 28x28 grey pixels in, ten scores out.
struct Network : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = torch::max_pool2d(torch::relu(norm1(conv1(images))), 2);
    x = torch::max_pool2d(torch::relu(norm2(conv2(x))), 2);
    return out(torch::relu(hidden(x.flatten(1))));
  }

  torch::nn::Conv2d conv1 = register_module("conv1", torch::nn::Conv2d(Convolution(1, 16)));
  torch::nn::BatchNorm2d norm1 = register_module("norm1", torch::nn::BatchNorm2d(16));
  torch::nn::Conv2d conv2 = register_module("conv2", torch::nn::Conv2d(Convolution(16, 32)));
  torch::nn::BatchNorm2d norm2 = register_module("norm2", torch::nn::BatchNorm2d(32));
  torch::nn::Linear hidden = register_module("hidden", torch::nn::Linear(32 * 7 * 7, 64));
  torch::nn::Linear out = register_module("out", torch::nn::Linear(64, 10));

 private:
  static torch::nn::Conv2dOptions Convolution(int inputs, int outputs) {
    return torch::nn::Conv2dOptions(inputs, outputs, /*kernel_size=*/3).padding(1);
  }
};
