#pragma once

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/transformer.h>
#include <torch/nn/modules/transformercoder.h>
#include <torch/nn/modules/transformerlayer.h>

#include <cstdint>

constexpr std::int64_t kContext = 128;   ///< Characters that the network sees.
constexpr std::int64_t kAlphabet = 256;  ///< A character is a byte.

/// A small transformer: for each character of [batch, kContext], scores of the one that follows it.
struct TextNetwork : torch::nn::Module {
  TextNetwork(std::int64_t width, std::int64_t layers)
      : characters(register_module("characters", torch::nn::Embedding(kAlphabet, width))),
        places(register_module("places", torch::nn::Embedding(kContext, width))),
        encoder(register_module("encoder", torch::nn::TransformerEncoder(Layer(width), layers))),
        out(register_module("out", torch::nn::Linear(width, kAlphabet))) {}

  torch::Tensor forward(const torch::Tensor& text) {
    const torch::Tensor seen = characters(text) + places(torch::arange(kContext));
    const auto mask = torch::nn::TransformerImpl::generate_square_subsequent_mask(kContext);
    return out(encoder(seen.transpose(0, 1), mask).transpose(0, 1));
  }

  torch::nn::Embedding characters;
  torch::nn::Embedding places;
  torch::nn::TransformerEncoder encoder;
  torch::nn::Linear out;

 private:
  static torch::nn::TransformerEncoderLayer Layer(std::int64_t width) {
    constexpr std::int64_t kHeads = 4;
    return torch::nn::TransformerEncoderLayer(
        torch::nn::TransformerEncoderLayerOptions(width, kHeads).dim_feedforward(4 * width).dropout(0.1));
  }
};
