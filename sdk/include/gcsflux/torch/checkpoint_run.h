#pragma once

#include <ATen/core/Generator.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/saves.h"
#include "gcsflux/collective.h"
#include "gcsflux/epoch.h"
#include "gcsflux/run_environment.h"
#include "gcsflux/torch/state_dict.h"

// A training run's checkpoints: docs/checkpoints.md, and docs/distributed.md for many processes. Throws StorageError.
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
ShardedTensor Sharded(at::Tensor local, std::int64_t rows, const RunEnvironment& run, std::int64_t dimension = 0);

/// What a step holds, by name. Names have no '.', and no two members have the same one. Modules, optimizers and
/// generators are borrowed for the call.
///
/// In a group, tensors of one name are copies on all ranks that have it, or slices of one tensor: each element is
/// stored once. Numbers, texts, the cursor and the options of optimizers are those of rank 0. Each rank has its own
/// generators. A rank that did not take part in the save keeps those that it has.
struct RunState {
  std::map<std::string, torch::nn::Module*> modules = {};  ///< Borrowed for the call.
  /// Adam, AdamW, SGD, RMSprop and Adagrad. For others, saves and loads throw StorageError with kInvalidArgument.
  std::map<std::string, torch::optim::Optimizer*> optimizers = {};
  /// Load() writes into the given tensors, as into modules. If the step lacks one, or has it with another shape or
  /// type, it throws StorageError with kUndecodable. It replaces an undefined tensor by a new one, and fills an empty
  /// list with all tensors that the step has under its name. Use these two for tensors that grow.
  std::map<std::string, NamedTensors> tensors = {};
  /// For groups. Here names may have '.': a slice "model.weight" is of the tensor "weight" of the module "model".
  std::map<std::string, ShardedTensor> slices = {};
  std::map<std::string, at::Generator> generators = {};  ///< {"cpu", at::detail::getDefaultCPUGenerator()}
  std::map<std::string, std::int64_t> numbers = {};      ///< The caller's own.
  std::map<std::string, std::string> texts = {};         ///< The caller's own.
  std::optional<Cursor> cursor = {};                     ///< A dataset's position: the samples that were consumed.
};

namespace internal {
class RunSteps;
}  // namespace internal

/// How a run saves, and what it keeps.
struct CheckpointRunOptions {
  /// ShouldSave() is true for each multiple of it; at least 1.
  std::int64_t save_every = 1000;
  /// Which steps stay after a save. If absent, all stay.
  std::optional<KeepRules> keep = {};
  /// The form of saved steps: kTorchFile or kSafetensors. Steps of both forms are loaded. In safetensors each tensor is
  /// stored by itself, so bytes that two tensors share are stored twice. The other values are JSON in the metadata. If
  /// absent: kSafetensors for a group, which has no other form, and with skip_unchanged; otherwise kTorchFile.
  std::optional<CheckpointFormat> format = {};
  /// Tensors whose bytes equal those of the last committed step are not sent again: the manifest names them in that
  /// step's file. Not with kTorchFile. Set it for fine-tuning with frozen layers. Takes memory for one more copy of
  /// the state. Each save compares all tensors and copies what has changed. The first save of a process sends all
  /// tensors.
  bool skip_unchanged = false;
  /// Takes the prefix over from the run that has it, even if that run has not ended. Set it if jobs are started again
  /// after a crash or a preemption, and the scheduler never runs two at the same time.
  bool take_over = false;
  /// For SaveAsync(). In a group, `when_busy` must be kWait, because ranks must not decide differently.
  AsyncSaveOptions async = {};
  UploadOptions file = {};          ///< How a step's file is written.
  ObjectReaderOptions reader = {};  ///< How it is read.

  // For groups:
  /// If no rank sends or receives a byte, an answer or a message for this long, the call fails on all ranks. Bytes and
  /// answers are those of the service. Messages are those with which ranks go to the next phase of the call. A message,
  /// and a manifest that is written, count only when they are complete. If a rank hangs, the others learn it up to a
  /// quarter later, or 2 s later if that is longer. Raise it if:
  /// - the service may pause for longer,
  /// - ranks begin a call at very different times, or
  /// - rank 0's network takes longer to send the manifest to all ranks.
  std::chrono::milliseconds group_deadline = std::chrono::seconds(60);
  /// If several ranks of a machine need a byte, one of them reads it, and the others copy it. Must be the same on all
  /// ranks. Set it if several ranks of a machine load the same tensors, or slices along another dimension than those
  /// that were saved. Shared bytes are twice in memory until the load ends. The processes must run as the same user,
  /// and see each other in /proc.
  bool reads_once_per_host = false;
};

/// Of one save.
struct SaveOptions {
  CommitMode mode = CommitMode::kCreate;             ///< What the save may replace.
  std::map<std::string, double> metrics = {};        ///< Finite numbers; KeepRules::best uses them.
  std::map<std::string, std::string> metadata = {};  ///< The caller's own; Step::metadata has it.
};

/// The steps of a run under "gs://bucket/prefix": saved whole or not at all, loaded as they were saved.
///
/// `CheckpointRun run(client, "gs://bucket/runs/7", {.keep = KeepRules{.last = 3}});`
/// `RunState state{.modules = {{"model", &*model}}, .optimizers = {{"optimizer", &adam}}};`
/// `run.LoadLatest(state); ... if (run.ShouldSave(step)) run.Save(step, state);`
///
/// A step is one file, or with skip_unchanged one file and tensors in files of earlier steps. In torch.save's form,
/// torch.load() gives a dict of the state's modules, optimizers and tensors under their names, as state_dicts. The dict
/// also has "generators", "numbers", "texts" and "cursor", if there are such values. docs/checkpoints.md says what a
/// file of safetensors holds.
///
/// A save writes the file, the manifest and, at most once a second, the object "latest". It reads the object "writer"
/// before the manifest and after it. With rules it also lists the prefix, and reads "writer" once more. The first save
/// takes the prefix for this run and lists the names of higher steps, and the destructor releases it; loads do not need
/// it. For one thread at a time; not for children of fork().
///
/// In a group, a step has a safetensors file for each rank that writes: docs/distributed.md. All ranks make the same
/// calls in the same order, except ShouldSave() and List(), and all get the same result, or throw the same error. Only
/// this object may use the group, also between its calls. A step of one process or group can be loaded by any other.
class CheckpointRun {
 public:
  /// Makes no request.
  CheckpointRun(const Client& client, const std::string& uri, CheckpointRunOptions options = {});
  /// The run of a group, which must outlive it.
  CheckpointRun(const Client& client, const std::string& uri, Collective& group, CheckpointRunOptions options = {});
  CheckpointRun(CheckpointRun&&) noexcept;
  CheckpointRun& operator=(CheckpointRun&&) noexcept;
  ~CheckpointRun();

  /// True for the steps to save, which are multiples of `save_every`. False for step 0.
  [[nodiscard]] bool ShouldSave(std::int64_t step) const;

  /// Stores the state as this step, and then removes what the rules do not keep. Throws StorageError with:
  /// - kInvalidArgument if the state, a metric or the step's number is wrong, or, unless `mode` is kRewind, if a whole
  ///   step has a higher number,
  /// - kAlreadyExists if another run has the prefix, or the step has a manifest and `mode` is kCreate,
  /// - kPreconditionFailed if another run has taken the prefix over.
  /// Error::outcome says whether the step was stored. If the removal fails, the step is saved, and the result has the
  /// failure. In a group, rank 0's metrics and metadata are stored.
  SavedStep Save(std::int64_t step, const RunState& state, const SaveOptions& options = {});

  /// Saves beside the training. Returns when the state is copied. With AsyncSaveOptions::is_lazy it returns at once;
  /// then the tensors must not change, and the optimizer must not step, before PendingSave::WaitStaged() has returned.
  /// Numbers, texts and generators are copied at once in each mode. If earlier SaveAsync()s have failed, and no caller
  /// has received their errors, throws these as one error and does not save the state: call it again to save it. The
  /// destructor waits for saves in flight, or cancels them, as AsyncSaveOptions::at_end says.
  ///
  /// In a group: if it throws on one rank alone, because its state is wrong or there is no memory, the save of the
  /// other ranks fails with that error. If it throws the error of an earlier save, the state is saved nevertheless,
  /// because the other ranks save it too: do not repeat the call. That call is the same one on all ranks:
  /// `max_in_flight` calls after the failed one, when all ranks know the error.
  PendingSave SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options = {});

  /// Restores what `state` names, which may be any part of the saved state. The step's numbers, texts and cursor
  /// replace those of `state`.
  /// All or nothing: names, shapes, types and checksums are compared before anything of `state` changes.
  /// Throws StorageError with:
  /// - kNotFound if there is no such step or its file is gone,
  /// - kUndecodable if the step holds something else,
  /// - kCorrupted if a checksum differs: the file's CRC32C if all of the step is read, otherwise the CRC32C of each
  ///   storage that is read whole.
  /// Takes memory for the state and for a copy of what is read. With LoadMode::kInPlace there is no copy, and after an
  /// error the state has no defined content. A save in flight is not a step yet: wait for it before.
  ///
  /// In a group it waits for saves in flight. Nothing of `state` changes before all ranks have read what they need. If
  /// the state of one rank is wrong, or the rank has no memory, the load fails on all ranks with that error.
  Step Load(std::int64_t step, RunState& state, LoadMode mode = LoadMode::kAllOrNothing) const;
  /// Loads the newest step that is whole. If a step is removed while it is read, or its files turn out to be damaged
  /// (on any rank of a group), loads the next one. The result also has the steps that were skipped, and why. Returns
  /// nothing if no step was ever saved. Throws StorageError as CheckpointSteps::Latest() returns errors: kUndecodable
  /// if steps were saved and none is whole, kInvalidArgument if there is no such bucket. Also with kUndecodable if the
  /// step holds something else, as Load().
  std::optional<Step> LoadLatest(RunState& state, LoadMode mode = LoadMode::kAllOrNothing) const;

  /// As CheckpointSteps::Latest().
  [[nodiscard]] std::optional<Step> Latest() const;
  /// As CheckpointSteps::List().
  [[nodiscard]] std::vector<Step> List() const;
  /// As CheckpointSteps::Remove(). In a group, rank 0 removes the step.
  void Remove(std::int64_t step) const;

 private:
  std::int64_t save_every_ = 1;
  std::unique_ptr<internal::RunSteps> steps_;
};

/// Writes a state as one file that torch.load() reads, to an object "gs://bucket/name" or a local file, all or nothing:
/// the dict that CheckpointRun describes. LoadModule() and LoadOptimizer() read it. Throws StorageError with
/// kInvalidArgument for a state with slices, and for what CheckpointRun::Save() refuses.
ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const RunState& state,
                             const UploadOptions& options = {});

}  // namespace gcsflux
