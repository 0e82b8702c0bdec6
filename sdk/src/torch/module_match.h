#pragma once

#include <torch/nn/module.h>
#include <torch/serialize/archive.h>

#include <optional>
#include <string>

namespace gcsflux {

/// What keeps `archive` from being the saved state of `module`: the first name that only one of them has, or the
/// first tensor of another shape or type. Nothing where they match. libtorch's own load() would take what it finds,
/// whatever its shape.
std::optional<std::string> ModuleMismatch(const torch::nn::Module& module, torch::serialize::InputArchive& archive);

}  // namespace gcsflux
