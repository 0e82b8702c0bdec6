#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_manifest.h"
#include "gcsflux/checkpoints/keep_steps.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/object_reader.h"

// The steps of a training run on a prefix of a bucket: docs/checkpoints.md. step_writer.h adds steps.
namespace gcsflux {

class CheckpointSteps;

namespace internal {
class StepStore;
StepStore& StoreOf(const CheckpointSteps& steps);
}  // namespace internal

/// A step as it is stored.
struct StoredStep {
  CheckpointManifest manifest = {};
  std::int64_t generation = 0;  ///< Of the manifest's object.
};

/// A step that cannot be loaded, and why.
struct SkippedStep {
  std::int64_t step = 0;
  Error why = {};
};

/// The newest whole step, and the newer ones that are not whole.
struct LatestStep {
  StoredStep stored = {};
  std::vector<SkippedStep> skipped = {};  ///< The newest first.
};

/// One step of a listing.
struct ListedStep {
  std::int64_t step = 0;
  /// Without its tensors. If the manifest could not be read, it is empty, and `problem` says why.
  CheckpointManifest manifest = {};
  std::int64_t generation = 0;  ///< Of the manifest. 0 if there is none: the step's save or removal was not finished.
  /// Of the files that the manifest names, or of those in the folder of a step without one.
  std::uint64_t bytes = 0;
  std::optional<Error> problem = {};  ///< Absent: the step is whole.
};

/// What Keep() did.
struct KeepReport {
  std::vector<std::int64_t> removed = {};     ///< With `is_dry_run`: those that would be removed.
  std::vector<SkippedStep> not_removed = {};  ///< That the rules do not keep, and why they are still there.
  std::optional<Error> leftovers = {};        ///< StepWriter::Keep(): why files of crashed saves are still there.
};

/// What Sweep() removed.
struct SweepReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t young = 0;  ///< Files that were left because they are younger than SweepOptions::min_age.
};

struct SweepOptions {
  /// Only files that have not changed for so long. A file of a step that another process is saving just now is in no
  /// manifest yet: leave it longer than a save takes.
  std::chrono::seconds min_age = std::chrono::hours(24);
  bool is_dry_run = false;
};

/// Reads and removes the steps of a run. Thread-safe; copies share what is known of steps that were read.
///
/// A step is what its manifest says, and nothing without one. Other objects under the prefix are left alone. Messages
/// name the step, the file and what to do.
class CheckpointSteps {
 public:
  /// `uri` is "gs://bucket/prefix". Makes no request. `call` and `stop` are for all requests.
  static Result<CheckpointSteps> Open(const Client& client, const std::string& uri, const CallOptions& call = {},
                                      const std::stop_token& stop = {});

  /// "gs://bucket/prefix/"
  [[nodiscard]] const std::string& uri() const;

  /// All steps in ascending order: whole, damaged and unfinished ones. Takes one listing of the prefix, and a read for
  /// each manifest that this object and its copies have not read before. Sizes, generations and checksums of all files
  /// are compared with the manifests; no file is read.
  Result<std::vector<ListedStep>> List() const;

  /// The newest step whose manifest can be read and whose files are all there. kNotFound if no step was ever saved;
  /// kInvalidArgument if there is no such bucket; kUndecodable if steps were saved and none is whole: the message has
  /// the reasons.
  ///
  /// Takes three round trips if the writer's hint is right: the hint; the names from that step on, and at the same time
  /// its manifest; a question for each file, all at the same time. The hint changes only the cost, never the answer: if
  /// it is missing or wrong, the names of all steps are listed.
  Result<LatestStep> Latest() const;

  /// The same. `open` is called for a step at the same time as its files are asked for, on another thread, so that
  /// reading begins one round trip earlier. The last call is for the step that is returned. If that call fails, its
  /// error is the result; an exception is kLocalIo.
  Result<LatestStep> OpenLatest(const std::function<Result<void>(const StoredStep&)>& open) const;

  /// One step's manifest: one read. kNotFound; kUndecodable as ParseManifest().
  Result<StoredStep> Read(std::int64_t step) const;

  /// The file of a step, of the generation that the manifest names. Makes no request.
  Result<ObjectReader> OpenFile(const StepFile& file, ObjectReaderOptions options = {}) const;

  /// Asks for each file, all at the same time: kNotFound or kAborted if one is missing or changed.
  Result<void> HasFiles(const std::vector<StepFile>& files) const;

  /// What CheckpointRun saved as this step, as one checkpoint: its file, and the tensors of it that are in files of
  /// other steps. Takes the reads of the step's own file that StoredCheckpoint::Open() takes. What ShardedCheckpoints
  /// saved is one checkpoint too, with joined slices, and takes no read. kUndecodable where the step is no such step.
  Result<StoredCheckpoint> OpenStep(const StoredStep& step, const ObjectReaderOptions& options = {}) const;

  /// Deletes the step's manifest, then the files that no other manifest names. kPreconditionFailed for the last whole
  /// step, and if the manifest changes meanwhile. Sweep() removes what an interrupted removal leaves.
  Result<void> Remove(std::int64_t step) const;

  /// Removes the whole steps that the rules do not keep, the oldest first. Damaged steps neither count nor go. A step
  /// that cannot be removed is reported; kPermissionDenied ends the removing, unless a retention policy is the reason.
  Result<KeepReport> Keep(const KeepRules& rules, bool is_dry_run = false) const;

  /// Removes files in folders of steps that no manifest names. Does nothing while there is a manifest that cannot be
  /// read, since that may name them: kUndecodable.
  Result<SweepReport> Sweep(const SweepOptions& options = {}) const;

 private:
  friend class StepWriter;
  friend internal::StepStore& internal::StoreOf(const CheckpointSteps& steps);
  explicit CheckpointSteps(std::shared_ptr<internal::StepStore> store);
  std::shared_ptr<internal::StepStore> store_;
};

}  // namespace gcsflux
