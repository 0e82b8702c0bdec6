#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/async_save.h"
#include "gcsflux/checkpoint_steps.h"
#include "gcsflux/epoch.h"
#include "gcsflux/step_writer.h"
#include "gcsflux/torch/state_dict.h"

// A training run's checkpoints: docs/checkpoints.md. Throws StorageError.
namespace gcsflux {

/// What a step holds, by name. Names have no '.', and no two members have the same one. Modules, optimizers and
/// generators are borrowed for the call.
struct RunState {
  std::map<std::string, torch::nn::Module*> modules = {};
  /// Adam, AdamW, SGD, RMSprop and Adagrad; kInvalidArgument for others.
  std::map<std::string, torch::optim::Optimizer*> optimizers = {};
  std::map<std::string, NamedTensors> tensors = {};
  std::map<std::string, at::Generator> generators = {};  ///< {"cpu", at::detail::getDefaultCPUGenerator()}
  std::map<std::string, std::int64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
  std::optional<Cursor> cursor = {};  ///< A dataset's: the samples that were consumed.
};

struct CheckpointRunOptions {
  /// ShouldSave() says so of each multiple of it; at least 1.
  std::int64_t save_every = 1000;
  /// Which steps stay after a save. Unset, all do, and a save takes no listing.
  std::optional<KeepRules> keep = {};
  /// kTorchFile or kSafetensors: the form of the steps that are saved. Steps of both are loaded. In safetensors each
  /// tensor is stored by itself, those that share memory more than once; the other values are JSON in the metadata.
  CheckpointFormat format = CheckpointFormat::kTorchFile;
  /// Tensors whose bytes equal those of the last committed step are not sent again: the manifest names them in that
  /// step's file. For kSafetensors. Set it for fine-tuning with frozen layers. Takes memory for one more copy of the
  /// state, and for each save a comparison and a copy of what has changed. The first save of a process sends all.
  bool skip_unchanged = false;
  StepWriterOptions writer = {};
  AsyncSaveOptions async = {};      ///< SaveAsync()'s.
  ParallelWriterOptions file = {};  ///< How a step's file is written.
  ObjectReaderOptions reader = {};  ///< How it is read.
};

struct SaveOptions {
  CommitMode mode = CommitMode::kCreate;
  std::map<std::string, double> metrics = {};  ///< Finite numbers; KeepBest goes by them.
  std::map<std::string, std::string> metadata = {};
};

/// The steps of a run under "gs://bucket/prefix": saved whole or not at all, loaded as they were saved.
///
/// `CheckpointRun run(client, "gs://bucket/runs/7", {.keep = KeepRules{.last = 3}});`
/// `RunState state{.modules = {{"model", &*model}}, .optimizers = {{"optimizer", &adam}}};`
/// `run.LoadLatest(state); ... if (run.ShouldSave(step)) run.Save(step, state);`
///
/// A step is one file. In torch.save's form torch.load() gives a dict of the state's modules, optimizers and tensors
/// under their names, which are state_dicts, and of "generators", "numbers", "texts" and "cursor", if there are such
/// values. docs/checkpoints.md says what a file of safetensors holds. For one thread at a time; not for children of
/// fork(). A save takes two writes and a question for the writer's object; with rules also a listing of the prefix. To
/// read takes no writer: the first Save() makes the prefix this run's, and the destructor gives it up.
class CheckpointRun {
 public:
  /// Makes no request.
  CheckpointRun(const Client& client, const std::string& uri, CheckpointRunOptions options = {});
  CheckpointRun(CheckpointRun&&) noexcept;
  CheckpointRun& operator=(CheckpointRun&&) noexcept;
  ~CheckpointRun();

  /// Whether the step is one of those that are to be saved; not step 0.
  [[nodiscard]] bool ShouldSave(std::int64_t step) const;

  /// Stores the state as this step, and then removes what the rules do not keep. Errors are as of StepWriter: Start(),
  /// WriteFile(), Commit(). A failure of the removing is in the result, since the step is saved then.
  SavedStep Save(std::int64_t step, const RunState& state, const SaveOptions& options = {});

  /// The same beside the training: returns once the state is copied, or with SnapshotMode::kLazy at once; the tensors
  /// may then not change, and the optimizer not step, before PendingSave::WaitStaged(). Numbers, texts and generators
  /// are taken at once in any case. Throws the error of an earlier SaveAsync() that was returned to no caller yet: the
  /// state is not saved then.
  ///
  /// The destructor waits for what is in flight, or cancels it, as AsyncSaveOptions say.
  PendingSave SaveAsync(std::int64_t step, const RunState& state, const SaveOptions& options = {});

  /// Brings what `state` names back to where Save() saw it: any part of what was saved. Numbers, texts and the cursor
  /// are all set to the step's.
  ///
  /// All or nothing: names, shapes, types and checksums are compared before anything of `state` changes. kNotFound: no
  /// such step, or its file is gone; kUndecodable: the step holds something else; kCorrupted: if all that the step
  /// holds is read, by the file's CRC32C, otherwise by that of each storage that is read whole. Memory: the state, and
  /// once more what is read.
  StoredStep Load(std::int64_t step, RunState& state) const;
  /// The newest step that is whole, with those that were skipped and why; nothing if no step was ever saved.
  /// kUndecodable if steps were saved and none is whole.
  std::optional<LatestStep> LoadLatest(RunState& state) const;

  [[nodiscard]] std::optional<LatestStep> Latest() const;
  [[nodiscard]] std::vector<ListedStep> List() const;
  /// As CheckpointSteps::Remove().
  void Remove(std::int64_t step) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gcsflux
