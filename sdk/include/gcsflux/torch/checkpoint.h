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

/// The state of a training run. Module and optimizer are borrowed for the call.
struct TrainingState {
  torch::nn::Module* module = nullptr;  ///< Required.
  /// Null if only the module counts, as in evaluation. A checkpoint's optimizer state is then ignored.
  torch::optim::Optimizer* optimizer = nullptr;
  std::map<std::string, std::int64_t> numbers = {};  ///< The caller's own numbers: epoch, step, seed.
  /// The caller's own texts: a dataset's cursor (FormatCursor), a run's name.
  std::map<std::string, std::string> texts = {};
};

/// Stores the module's parameters and buffers, the optimizer's state and options, the numbers and the texts as one
/// object. It becomes visible when it is complete, or never. It is sent over many connections. Uses at most
/// ParallelWriterOptions::part_memory_bytes beyond the tensors' own memory.
///
/// Python reads it: `torch.load()` gives a dict with the state_dicts "model" and "optimizer", and the dicts "numbers"
/// and "texts" (a text that is not UTF-8 is bytes). With optimizers other than Adam, AdamW, SGD, RMSprop and Adagrad it
/// is an archive of libtorch, which Python cannot read.
///
/// `SaveCheckpoint(client, object, {.module = model.get(), .optimizer = &adam, .numbers = {{"epoch", 3}}})`. Throws
/// StorageError. With UploadOptions::mode kCreate a run cannot overwrite another run's checkpoint.
ObjectMetadata SaveCheckpoint(const Client& client, const ObjectName& object, const TrainingState& state,
                              const ParallelWriterOptions& options = {});

/// Restores module, optimizer (learning rates included), numbers and texts to the state that SaveCheckpoint() stored.
///
/// It also reads what Python saved as {"model": ..., "optimizer": ...}: the ints and strs beside them are the numbers
/// and texts. It reads checkpoints of earlier versions.
///
/// All or nothing: the object's CRC32C, the name, shape and type of every parameter and buffer, and the optimizer's
/// groups are checked before anything in `state` changes. Modules that override save() or load() are not supported
/// here; use archive.h.
///
/// Throws StorageError with:
/// - kNotFound if there is no such object,
/// - kCorrupted if a checksum differs,
/// - kUndecodable if the object is not a checkpoint, or is one of another module or optimizer,
/// - kInvalidArgument if it is an archive of libtorch and the module has views by conj().
///
/// Memory: the module and the optimizer, a second copy of what the checkpoint holds of them, and at most
/// ObjectReaderOptions::read_ahead_bytes.
void LoadCheckpoint(const Client& client, const ObjectName& object, TrainingState& state,
                    const ObjectReaderOptions& options = {});

}  // namespace gcsflux
