#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"

namespace torch::nn {
class Module;
}
namespace torch::optim {
class Optimizer;
}

// Reads tensors of checkpoints of any format into libtorch, and writes them. Throws StorageError.
namespace gcsflux {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// The checkpoint's tensors whose names begin with `prefix`, in the checkpoint's order, with their full names. Each
/// storage is read once and compared with its checksum. Tensors that share a storage in the file share it in memory,
/// with their strides.
///
/// Throws StorageError with kUndecodable if a tensor is refused, or has a type that libtorch lacks. The message names
/// all such tensors.
NamedTensors ReadTensors(const StoredCheckpoint& checkpoint, std::string_view prefix = {});

/// One tensor, in row-major order in its own memory.
at::Tensor ReadTensor(const StoredCheckpoint& checkpoint, std::string_view name);

/// What a load may change before it has succeeded.
enum class LoadMode {
  /// Nothing. All that is read is held beside the state during the load.
  kAllOrNothing,
  /// Tensors are read directly into the state's memory, if it is contiguous and on the CPU. Takes memory for what the
  /// state does not have yet. After an error, the state has no defined content.
  kInPlace,
};

/// For LoadModule() and LoadStateDict().
struct LoadModuleOptions {
  /// Only names that begin with it belong to the module; it is removed from them. Example: "model." if a dict has the
  /// state_dict as "model".
  std::string prefix = {};
  /// Replaces the matches of regular expressions (ECMAScript) in the checkpoint's names: {"^module\\.", ""}. Applied in
  /// this order, after `prefix`. A name of more than 1,024 bytes cannot be renamed: throws StorageError with
  /// kInvalidArgument.
  std::vector<std::pair<std::string, std::string>> renames = {};
  /// If only the module or only the checkpoint has a name, that is an error. Shapes and types must always be the same.
  bool is_strict = true;
  LoadMode mode = LoadMode::kInPlace;  ///< What has changed after an error.
};

/// Reads the module's parameters and buffers. Names, shapes and types are compared before any tensor is read.
///
/// Throws StorageError with kUndecodable if names, shapes or types differ. The message lists all that is missing,
/// unexpected or different. Throws it with kInvalidArgument if the options map two names to one, or if a tensor cannot
/// be written to. That is so if its elements share memory, or it was made in InferenceMode. With kInPlace,
/// tensors of InferenceMode can be written to if they are contiguous on the CPU and share no memory. Views in the
/// module keep their strides.
void LoadModule(torch::nn::Module& module, const StoredCheckpoint& checkpoint, const LoadModuleOptions& options = {});

/// Restores an optimizer from Python's state_dict() of Adam, AdamW, SGD, RMSprop or Adagrad, or from what torch::save
/// of C++ wrote of one. Its options are restored too. `name` is its name in the checkpoint; in an archive of an
/// optimizer alone it has no name. Parameters correspond by their order. All or nothing.
///
/// Throws StorageError with kUndecodable if groups, parameters or shapes differ, if `maximize` is set, and for
/// safetensors that CheckpointRun did not write, which hold only tensors. Throws it with kInvalidArgument for other
/// optimizers.
void LoadOptimizer(torch::optim::Optimizer& optimizer, const StoredCheckpoint& checkpoint,
                   std::string_view name = "optimizer");

/// Writes a module's parameters and buffers to an object "gs://bucket/name" or a local file, all or nothing. For a
/// local file only the mode of the options counts, and the answer has only name and size.
///
/// kTorchFile: torch.load() reads it. kSafetensors: with each tensor's CRC32C; if tensors share a storage, each is
/// written separately. kLibtorchArchive: torch::load() reads it; modules only, without views by conj().
ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const torch::nn::Module& module,
                             CheckpointFormat format = CheckpointFormat::kTorchFile, const UploadOptions& options = {});
/// The same for tensors by name. Throws StorageError with kInvalidArgument for kLibtorchArchive, if two tensors have
/// one name, and if a name is empty or not UTF-8.
ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const NamedTensors& tensors,
                             CheckpointFormat format = CheckpointFormat::kTorchFile, const UploadOptions& options = {});

/// OpenCheckpoint() and LoadModule(), for any supported format.
void LoadStateDict(const Client& client, const std::string& uri, torch::nn::Module& module,
                   const LoadModuleOptions& options = {});
/// OpenCheckpoint() and ReadTensors().
NamedTensors LoadStateDict(const Client& client, const std::string& uri, std::string_view prefix = {});

}  // namespace gcsflux
