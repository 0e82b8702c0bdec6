#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "formats/pickle/pickled_value.h"
#include "gcsflux/torch/state_dict.h"

namespace gcsflux {

/// A value, and the tensors whose storages the value's tensors use.
struct GatheredState {
  pickled::Value root = {};
  std::vector<at::Tensor> storages = {};
};

/// Gives a file that torch.load() reads to the sink. The tensors' bytes come directly from their memory.
void WriteTorchFile(const GatheredState& state, const ByteSink& sink);

/// Makes the values of a file that torch.load() reads. Each Of...() gives a value that names tensors; Gather() takes
/// the value that contains them all. Do not change tensors before they are written. Not thread-safe.
class StateDictWriter {
 public:
  /// Throws StorageError with kInvalidArgument for sparse, quantised, nested or undefined tensors. Tensors on other
  /// devices are copied. Views remain views of one storage.
  pickled::Value OfTensor(const at::Tensor& tensor);
  /// An OrderedDict with `_metadata`, with Python's order and names.
  pickled::Value OfModule(const torch::nn::Module& module);
  /// The same content as Python's state_dict() of Adam, AdamW, SGD, RMSprop and Adagrad. Throws StorageError with
  /// kInvalidArgument for other optimizers.
  pickled::Value OfOptimizer(const torch::optim::Optimizer& optimizer);
  /// Throws StorageError with kInvalidArgument if two have one name, or a name is empty or not UTF-8.
  pickled::Value OfTensors(const NamedTensors& tensors);

  /// The memory is still that of the tensors. Call it once.
  GatheredState Gather(pickled::Value root) &&;

 private:
  // If tensors of two types share a storage, it is written once for each type.
  std::map<std::pair<const void*, DType>, std::size_t> known_;
  std::vector<at::Tensor> kept_;  // Keeps each storage alive.
};

}  // namespace gcsflux
