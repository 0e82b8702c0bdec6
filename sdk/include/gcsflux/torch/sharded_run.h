#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/sharded_checkpoints.h"
#include "gcsflux/torch/checkpoint_run.h"

// A training run's checkpoints, saved and loaded by many processes: docs/distributed.md. Throws StorageError.
namespace gcsflux {

/// A tensor in this process's memory: a slice of a larger one, or all of it.
struct ShardedTensor {
  at::Tensor local = {};
  /// Of the whole tensor. Empty together with `offsets`: `local` is the whole.
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> offsets = {};  ///< Where `local` begins in the whole.
};

/// `local` as the slice of `rank` of a tensor that is divided along `dimension`, as DivideRows() divides `rows`. Throws
/// kInvalidArgument if `local` has another number of rows.
ShardedTensor Sharded(at::Tensor local, std::int64_t dimension, std::int64_t rows, int rank, int world_size);

/// What the ranks hold together, by name. Tensors that several ranks name are copies or slices of one tensor. A tensor
/// of a module has the name "MODULE.NAME". No name begins with "numbers." or "texts.", or is "cursor".
struct ShardedState {
  std::map<std::string, torch::nn::Module*> modules = {};  ///< Copies: the same on all ranks. Borrowed for the call.
  std::map<std::string, ShardedTensor> tensors = {};
  /// Rank 0's are stored, and all ranks get them.
  std::map<std::string, std::int64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
  std::optional<Cursor> cursor = {};
};

struct ShardedRunOptions {
  ShardedOptions steps = {};
  /// For SaveAsync(). WhenBusy::kWait alone is possible: ranks must not decide differently.
  AsyncSaveOptions async = {};
};

/// The steps of a run under "gs://bucket/prefix", as ShardedCheckpoints has them, for modules and tensors.
///
/// All ranks make the same calls in the same order, and all get the same result, or throw the same error. Tensors are
/// on the CPU. For one thread at a time; not for children of fork(). The group is used by this object alone, also
/// between its calls.
class ShardedRun {
 public:
  /// Makes no request. `group` must outlive it.
  ShardedRun(const Client& client, const std::string& uri, Collective& group, ShardedRunOptions options = {});
  ShardedRun(ShardedRun&&) noexcept;
  ShardedRun& operator=(ShardedRun&&) noexcept;
  /// Waits for what is in flight, or cancels it, as AsyncSaveOptions say.
  ~ShardedRun();

  /// Stores the state as this step. Rank 0's metrics and metadata are stored.
  SavedStep Save(std::int64_t step, const ShardedState& state, const SaveOptions& options = {});
  /// The same beside the training, as CheckpointRun::SaveAsync(). If it throws on one rank alone because its state is
  /// wrong or there is no memory, the save of the other ranks fails with that.
  ///
  /// If an earlier SaveAsync() has failed, and no caller on this rank has received its error, throws that error. The
  /// state is saved nevertheless, as on the other ranks, which may know that error: do not repeat the call. It is
  /// thrown by the first call that begins when all ranks know it, `max_in_flight` calls later: the same call on all
  /// ranks.
  PendingSave SaveAsync(std::int64_t step, const ShardedState& state, const SaveOptions& options = {});

  /// Brings what `state` names back to where it was saved, maybe by other ranks with other slices: any part of what was
  /// saved. Numbers, texts and the cursor are all set to the step's. Waits for saves that are in flight.
  ///
  /// All or nothing, on all ranks: nothing of `state` changes before all ranks have read what they need. If the state
  /// of one rank is wrong or it has no memory, the load fails on all ranks with that. Memory: the state once more.
  LatestStep Load(std::int64_t step, ShardedState& state);
  /// The newest step that is whole; nothing if no step was ever saved.
  std::optional<LatestStep> LoadLatest(ShardedState& state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gcsflux
