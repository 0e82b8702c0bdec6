#pragma once

#include <torch/nn/module.h>
#include <torch/serialize/archive.h>

#include <optional>
#include <string>

namespace gcsflux {

/// Why `archive` is not the saved state of `module`: the first name that only one of them has, or the first tensor with
/// another shape or type. Nothing if they match. libtorch's own load() would accept any shape.
std::optional<std::string> ModuleMismatch(const torch::nn::Module& module, torch::serialize::InputArchive& archive);

}  // namespace gcsflux
