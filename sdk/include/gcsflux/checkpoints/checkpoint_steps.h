#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/step.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/object_reader.h"

// The steps of a training run on a prefix of a bucket: docs/checkpoints.md. torch/checkpoint_run.h adds steps.
namespace gcsflux {

class CheckpointSteps;

namespace internal {
class StepStore;
const std::shared_ptr<StepStore>& StoreOf(const CheckpointSteps& steps);
}  // namespace internal

/// Reads and removes the steps of a run. Thread-safe. Copies share the manifests that were read.
///
/// The manifest defines a step. Without a manifest there is no step. Removals take objects that a manifest names, and
/// objects in folders of steps whose names are those that saves give. All others under the prefix are left alone.
/// Messages name the step and the file, and say what to do.
class CheckpointSteps {
 public:
  CheckpointSteps(const CheckpointSteps&) = default;  // A move copies, so that it leaves a handle that works.
  CheckpointSteps& operator=(const CheckpointSteps&) = default;

  /// `uri` is "gs://bucket/prefix". Makes no request. `call` and `stop` are for all requests.
  static Result<CheckpointSteps> Open(const Client& client, const std::string& uri, const CallOptions& call = {},
                                      const std::stop_token& stop = {});

  /// "gs://bucket/prefix/"
  [[nodiscard]] const std::string& uri() const;

  /// Lists all steps in ascending order: whole, damaged and unfinished ones. Takes one listing of the prefix, and a
  /// read for each manifest that this object and its copies have not read before. If a listed manifest went meanwhile,
  /// lists again, at most 10 times. Sizes, generations and checksums of all files are compared with the manifests; no
  /// file is read.
  [[nodiscard]] Result<std::vector<Step>> List() const;

  /// Finds the newest step whose manifest can be read and whose files all exist. Returns:
  /// - kNotFound if no step was ever saved,
  /// - kInvalidArgument if there is no such bucket,
  /// - kUndecodable if steps were saved and none is whole; the message has the reasons,
  /// - kAborted if listed steps were removed or replaced after each of 10 listings, and none of the last one is whole.
  ///
  /// Lists again if a listed step was removed or replaced meanwhile, so that a run with rules does not disturb.
  ///
  /// If the writer's hint is right, this takes three round trips: the hint; the step's manifest and, at the same time,
  /// the names from that step on; a request for each file, up to 16 at the same time. The hint changes only the cost,
  /// never the answer: if it is missing or wrong, the names of all steps are listed.
  [[nodiscard]] Result<Step> Latest() const;

  /// Reads one step's manifest with one request. Returns kNotFound if there is none, and kUndecodable if it cannot be
  /// read, or is the manifest of another step.
  [[nodiscard]] Result<Step> Read(std::int64_t step) const;

  /// Opens a step of CheckpointRun as one checkpoint: its own file, and its tensors in files of other ranks and of
  /// other steps. Slices are joined. Takes a request for the manifest, and the reads of StoredCheckpoint::Open() for
  /// its own file, which for a group is that of rank 0. Steps of other files of safetensors have no values. Returns
  /// the errors of Read(), and kUndecodable for other steps.
  [[nodiscard]] Result<StoredCheckpoint> OpenStep(std::int64_t step, const ObjectReaderOptions& options = {}) const;

  /// Reads all files of a step, in the generations that its manifest names, and compares them with its checksums.
  [[nodiscard]] Result<void> VerifyFiles(const Step& step, ObjectReaderOptions options = {}) const;

  /// Deletes the step's manifest, then the files that no other manifest names. Returns kPreconditionFailed if it is the
  /// last whole step, or if its manifest changes meanwhile. Right before it deletes the manifest of a whole step, it
  /// checks that another whole step still has one: docs/checkpoints.md describes the window that remains.
  /// CollectGarbage() removes what an interrupted removal leaves.
  ///
  /// While another step's manifest cannot be read, removes nothing and returns kUndecodable, because that manifest may
  /// name the files. Of a step whose own manifest cannot be read, it then removes the manifest and leaves the files.
  /// A dry run removes nothing, and returns the same errors.
  Result<void> Remove(std::int64_t step, bool is_dry_run = false) const;

  /// Removes the whole steps that the rules do not keep, the oldest first. Damaged steps are not counted and not
  /// removed. While a manifest cannot be read, no step is removed. A step that cannot be removed is reported. The
  /// removal ends after kCancelled, and after kPermissionDenied unless a retention policy is the reason.
  Result<RemovalReport> Keep(const KeepRules& rules, bool is_dry_run = false) const;

  /// Removes files of the form of name that saves give, in folders of steps, that no manifest names and that are older
  /// than `min_age`. Set it to more than the duration of a save: until a save ends, no manifest names its files. A file
  /// counts as new if the service leaves out its time. If a manifest cannot be read, removes nothing and returns
  /// kUndecodable, because that manifest may name them.
  Result<RemovalReport> CollectGarbage(std::chrono::seconds min_age = std::chrono::hours(24),
                                       bool is_dry_run = false) const;

 private:
  friend const std::shared_ptr<internal::StepStore>& internal::StoreOf(const CheckpointSteps& steps);
  explicit CheckpointSteps(std::shared_ptr<internal::StepStore> store);
  std::shared_ptr<internal::StepStore> store_;
};

}  // namespace gcsflux
