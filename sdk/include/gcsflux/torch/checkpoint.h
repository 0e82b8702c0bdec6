#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/parallel_writer.h"
#include "gcsflux/torch/storage_error.h"

namespace torch::nn {
class Module;
}
namespace torch::optim {
class Optimizer;
}

namespace gcsflux {

/// Where a training run stands; module and optimizer are borrowed for the call.
struct TrainingState {
  torch::nn::Module* module = nullptr;  ///< Required.
  /// Absent where only the module counts, as in evaluation; a checkpoint's optimizer state is then passed over.
  torch::optim::Optimizer* optimizer = nullptr;
  std::map<std::string, std::int64_t> numbers = {};  ///< The caller's own: epoch, step, seed.
  std::map<std::string, std::string> texts = {};     ///< Likewise: a dataset's cursor (FormatCursor), a run's name.
};

/// Stores the module's parameters and buffers, the optimizer's state and options, the numbers and the texts as one
/// object, which becomes visible when it is complete, or never. It is sent over many connections. Memory beyond the
/// tensors' own: ParallelWriterOptions::max_memory at most.
///
/// Python reads it: `torch.load()` gives a dict of "model" and "optimizer", which are state_dicts, and of the dicts
/// "numbers" and "texts" (bytes where a text is no UTF-8). With optimizers other than Adam, AdamW, SGD, RMSprop and
/// Adagrad it is an archive of libtorch, which Python cannot read.
///
/// `SaveCheckpoint(client, object, {.module = model.get(), .optimizer = &adam, .numbers = {{"epoch", 3}}})`.
/// Throws StorageError. UploadOptions::mode kCreate keeps a run from overwriting another one's checkpoint.
ObjectMetadata SaveCheckpoint(const Client& client, const ObjectName& object, const TrainingState& state,
                              const ParallelWriterOptions& options = {});

/// Brings module, optimizer (learning rates included), numbers and texts back to where SaveCheckpoint() saw them.
///
/// Reads what Python saved as {"model": ..., "optimizer": ...} too: ints and strs beside them are the numbers and
/// texts then. Checkpoints of earlier versions are read.
///
/// All or nothing: the object's CRC32C, every parameter's and buffer's name, shape and type, and the optimizer's
/// groups are checked before anything of `state` changes. Throws StorageError: kNotFound, kCorrupted, and
/// kUndecodable where the object is no checkpoint, or one of another module or optimizer.
/// Modules that override save() or load() are not supported here; use archive.h. Memory: the module and the optimizer,
/// once more what the checkpoint has of them, and ObjectReaderOptions::read_ahead_bytes at most.
void LoadCheckpoint(const Client& client, const ObjectName& object, TrainingState& state,
                    const ObjectReaderOptions& options = {});

}  // namespace gcsflux
