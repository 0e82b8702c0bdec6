#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/parallel_writer.h"
#include "gcsflux/stored_checkpoint.h"
#include "gcsflux/torch/storage_error.h"

namespace torch::nn {
class Module;
}
namespace torch::optim {
class Optimizer;
}

// Tensors out of checkpoints of any format into libtorch, and back. Throws StorageError.
namespace gcsflux {

/// Nothing where libtorch has no tensors of this type.
std::optional<c10::ScalarType> ScalarTypeOf(DType dtype);
/// Nothing for quantised types.
std::optional<DType> DTypeOf(c10::ScalarType type);

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// The checkpoint's tensors whose names begin with `prefix`, in its order, with their whole names. Each storage is read
/// once and compared with its checksum: tensors that share one in the file do so in memory, with their strides.
///
/// kUndecodable where one of them is refused, or has a type that libtorch lacks: the message names all such.
NamedTensors ReadTensors(const StoredCheckpoint& checkpoint, std::string_view prefix = {});

/// One tensor, row after row in memory of its own.
at::Tensor ReadTensor(const StoredCheckpoint& checkpoint, std::string_view name);

/// A regular expression (ECMAScript) whose matches in a checkpoint's name are replaced: {"^module\\.", ""}.
struct NameRule {
  std::string pattern = {};
  std::string replacement = {};
};

struct LoadModuleOptions {
  /// Only names that begin with it are of the module, and lose it: "model." where a dict has the state_dict as "model".
  std::string prefix = {};
  std::vector<NameRule> renames = {};  ///< Applied in this order, behind `prefix`.
  /// Names that only the module or only the checkpoint has are errors. Shapes and types must be the same in any case.
  bool is_strict = true;
  /// The module stays as it was after any failure. All tensors are then held beside the module; otherwise each is read
  /// straight into the module's memory, and an error says that the module was touched.
  bool is_staged = false;
};

/// Reads the module's parameters and buffers. Names, shapes and types are compared before anything is read.
///
/// kUndecodable: the message lists all that is missing, unexpected or different, together. kInvalidArgument: two names
/// become one by the options. Views in the module keep their strides.
void LoadModule(torch::nn::Module& module, const StoredCheckpoint& checkpoint, const LoadModuleOptions& options = {});

/// Sets an optimizer to what Python's state_dict() of Adam, AdamW, SGD, RMSprop or Adagrad says, options included;
/// `name` is where the checkpoint has it. Parameters correspond by their order. All or nothing.
///
/// kUndecodable where groups, parameters or shapes differ, and for safetensors, which hold tensors only;
/// kInvalidArgument for other optimizers.
void LoadOptimizer(torch::optim::Optimizer& optimizer, const StoredCheckpoint& checkpoint,
                   std::string_view name = "optimizer");

/// A value, and the tensors whose storages its tensors name.
struct GatheredState {
  pickled::Value root = {};
  std::vector<at::Tensor> storages = {};
};

/// Makes a file that torch.load() reads out of tensors and values: each Of...() gives a value that names tensors,
/// Write() writes the one that holds them all, and the tensors' bytes straight from their memory.
///
/// `StateDictWriter writer; Dict root; root.entries.push_back({{"model"}, writer.OfModule(*model)}); writer.Write(root,
/// sink);` Tensors must not be changed until Write() is done. Not thread-safe.
class StateDictWriter {
 public:
  StateDictWriter();
  ~StateDictWriter();
  StateDictWriter(StateDictWriter&&) noexcept;
  StateDictWriter& operator=(StateDictWriter&&) noexcept;

  /// kInvalidArgument: sparse, quantised or undefined tensors. Tensors on other devices are copied; views stay views of
  /// one storage.
  pickled::Value OfTensor(const at::Tensor& tensor);
  /// An OrderedDict with `_metadata`, in Python's order and by Python's names.
  pickled::Value OfModule(const torch::nn::Module& module);
  /// As Python's state_dict() of Adam, AdamW, SGD, RMSprop and Adagrad; kInvalidArgument for others.
  pickled::Value OfOptimizer(const torch::optim::Optimizer& optimizer);
  pickled::Value OfTensors(const NamedTensors& tensors);

  /// What Write() would write, to be copied first: the memory is the tensors' own. Once, instead of Write().
  GatheredState Gather(pickled::Value root) &&;
  /// Once.
  void Write(pickled::Value root, const ByteSink& sink) &&;

 private:
  struct Storages;
  std::unique_ptr<Storages> storages_;
};

struct SaveStateDictOptions {
  /// kTorchFile: torch.load() reads it. kSafetensors: with each tensor's CRC32C; tensors that share a storage are
  /// written once for each. kLibtorchArchive: torch::load() reads it; modules only.
  CheckpointFormat format = CheckpointFormat::kTorchFile;
  ParallelWriterOptions writer = {};
};

/// Writes a module's parameters and buffers to an object "gs://bucket/name", or to a local file, all or nothing, as
/// WriteCheckpoint() does. Of the answer, a local file has name and size alone.
ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const torch::nn::Module& module,
                             const SaveStateDictOptions& options = {});
/// Likewise tensors by their names; kInvalidArgument for kLibtorchArchive.
ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const NamedTensors& tensors,
                             const SaveStateDictOptions& options = {});

/// OpenCheckpoint() and LoadModule(): of any format that is read.
void LoadStateDict(const Client& client, const std::string& uri, torch::nn::Module& module,
                   const LoadModuleOptions& options = {});
/// OpenCheckpoint() and ReadTensors().
NamedTensors LoadStateDict(const Client& client, const std::string& uri, std::string_view prefix = {});

}  // namespace gcsflux
