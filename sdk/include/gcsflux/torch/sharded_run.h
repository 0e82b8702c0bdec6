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
  /// The shape of the whole tensor. If it and `offsets` are empty, `local` is the whole tensor.
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> offsets = {};  ///< Where `local` begins in the whole.
};

/// `local` as the rank's slice of a tensor that has `rows` in the divided dimension, which DivideRows() divides. Throws
/// StorageError with kInvalidArgument if `local` has another number of rows.
ShardedTensor Sharded(at::Tensor local, std::int64_t rows, const RankShare& share);

/// What the ranks hold together, by name. If several ranks have tensors of one name, these are copies or slices of one
/// tensor. A tensor of a module has the name "MODULE.NAME". No name begins with "numbers." or "texts.", or is "cursor".
struct ShardedState {
  std::map<std::string, torch::nn::Module*> modules = {};  ///< Must be the same on all ranks. Borrowed for the call.
  std::map<std::string, ShardedTensor> tensors = {};
  /// Numbers, texts and cursor of rank 0 are stored. A load gives them to all ranks.
  std::map<std::string, std::int64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
  std::optional<Cursor> cursor = {};
};

struct ShardedRunOptions {
  ShardedOptions steps = {};
  /// For SaveAsync(). `when_busy` must be kWait, because ranks must not decide differently.
  AsyncSaveOptions async = {};
};

/// The steps of a run under "gs://bucket/prefix", as ShardedCheckpoints has them, for modules and tensors.
///
/// All ranks make the same calls in the same order, and all get the same result, or throw the same error. Tensors must
/// be dense and on the CPU. For one thread at a time; not for children of fork(). Only this object may use the group,
/// also between its calls.
class ShardedRun {
 public:
  /// Makes no request. `group` must outlive it.
  ShardedRun(const Client& client, const std::string& uri, Collective& group, ShardedRunOptions options = {});
  ShardedRun(ShardedRun&&) noexcept;
  ShardedRun& operator=(ShardedRun&&) noexcept;
  /// Waits for saves in flight, or cancels them, as AsyncSaveOptions::at_end says.
  ~ShardedRun();

  /// Stores the state as this step. Rank 0's metrics and metadata are stored.
  SavedStep Save(std::int64_t step, const ShardedState& state, const SaveOptions& options = {});
  /// The same beside the training, as CheckpointRun::SaveAsync(). If it throws on one rank alone, because its state is
  /// wrong or there is no memory, the save of the other ranks fails with that error.
  ///
  /// If an earlier SaveAsync() has failed, and no caller on this rank has received its error, throws that error. The
  /// state is saved nevertheless, because the other ranks save it too: do not repeat the call. The call that throws is
  /// the same on all ranks: `max_in_flight` calls after the failed one, when all ranks know the error.
  PendingSave SaveAsync(std::int64_t step, const ShardedState& state, const SaveOptions& options = {});

  /// Restores what `state` names, which may be any part of the saved state. Other ranks may have saved it, with other
  /// slices. The step's numbers, texts and cursor replace those of `state`. Waits for saves in flight.
  ///
  /// All or nothing, on all ranks: nothing of `state` changes before all ranks have read what they need. If the state
  /// of one rank is wrong, or the rank has no memory, the load fails on all ranks with that error. Memory: one more
  /// copy of the state.
  LatestStep Load(std::int64_t step, ShardedState& state);
  /// Loads the newest step that is whole. If a step is removed while it is read, or its files turn out to be damaged on
  /// any rank, all ranks load the next one, as CheckpointRun::LoadLatest(). Returns nothing if no step was ever saved.
  std::optional<LatestStep> LoadLatest(ShardedState& state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gcsflux
