#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gcsflux::testing {

/// One of libtorch's own modules, and how Python makes the same one.
struct BuiltinModule {
  std::string python;  ///< An expression; `nn` is torch.nn.
  std::function<std::shared_ptr<torch::nn::Module>()> make;
};

/// Every module class of libtorch that Python has too, with the options that add or remove tensors.
std::vector<BuiltinModule> BuiltinModules();

}  // namespace gcsflux::testing
