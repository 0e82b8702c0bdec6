#include "torch/module_match.h"

#include <set>
#include <sstream>
#include <vector>

#include "torch/tensor_bytes.h"
#include "torch/writable.h"

namespace gcsflux {
namespace {

using torch::Tensor;
using torch::serialize::InputArchive;

std::string Describe(const Tensor& tensor) {
  std::ostringstream text;
  text << tensor.scalar_type() << tensor.sizes();
  return text.str();
}

std::optional<std::string> CompareTensor(const Tensor& expected, InputArchive& archive, const std::string& key,
                                         const std::string& path) {
  if (expected.defined() && !HasElements(expected)) return path + key + " " + *WhyNotWritable(expected);
  Tensor saved;
  if (!archive.try_read(key, saved) || !saved.defined()) return "the checkpoint has no tensor " + path + key;
  if (saved.sizes() == expected.sizes() && saved.scalar_type() == expected.scalar_type()) return std::nullopt;
  return path + key + " is " + Describe(saved) + " in the checkpoint, " + Describe(expected) + " in the module";
}

/// One level, then its children; `path` is "" or ends with a dot.
std::optional<std::string> CompareModule(const torch::nn::Module& module, InputArchive& archive,
                                         const std::string& path) {
  const std::vector<std::string> keys = archive.keys();
  std::set<std::string> unexpected(keys.begin(), keys.end());

  for (const auto& tensors : {module.named_parameters(/*recurse=*/false), module.named_buffers(/*recurse=*/false)}) {
    for (const auto& expected : tensors) {
      unexpected.erase(expected.key());
      if (auto mismatch = CompareTensor(expected.value(), archive, expected.key(), path)) return mismatch;
    }
  }
  for (const auto& child : module.named_children()) {
    unexpected.erase(child.key());
    if (!child.value()->is_serializable()) continue;
    InputArchive nested;
    if (!archive.try_read(child.key(), nested)) return "the checkpoint has no module " + path + child.key();
    if (auto mismatch = CompareModule(*child.value(), nested, path + child.key() + ".")) return mismatch;
  }
  if (!unexpected.empty()) return "the module has no " + path + *unexpected.begin() + ", the checkpoint has";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ModuleMismatch(const torch::nn::Module& module, InputArchive& archive) {
  return CompareModule(module, archive, "");
}

}  // namespace gcsflux
