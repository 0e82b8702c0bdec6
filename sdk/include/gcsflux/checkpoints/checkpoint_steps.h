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
  /// The size of the files that the manifest names. If the manifest is missing or unreadable, of the files in the
  /// step's folder.
  std::uint64_t bytes = 0;
  std::optional<Error> problem = {};  ///< Absent if the step is whole.
};

/// What Keep() did.
struct KeepReport {
  std::vector<std::int64_t> removed = {};  ///< With `is_dry_run`: the steps that would be removed.
  /// Steps that the rules do not keep, and why they, or some of their files, still exist.
  std::vector<SkippedStep> not_removed = {};
  /// Objects in folders of steps that were left, because no manifest names them and their names are not of this
  /// library's form.
  std::uint64_t foreign = 0;
  std::optional<Error> leftovers = {};  ///< For StepWriter::Keep(): why files of crashed saves still exist.
};

/// What Sweep() removed.
struct SweepReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t young = 0;    ///< Files that were left because they are younger than SweepOptions::min_age.
  std::uint64_t foreign = 0;  ///< As in KeepReport.
};

struct SweepOptions {
  /// Removes only files older than this. Set it to more than the duration of a save: until a save ends, no manifest
  /// names its files. A file counts as new if the service leaves out its time.
  std::chrono::seconds min_age = std::chrono::hours(24);
  bool is_dry_run = false;
};

/// Reads and removes the steps of a run. Thread-safe. Copies share the manifests that were read.
///
/// The manifest defines a step. Without a manifest there is no step. Removals take objects that a manifest names, and
/// objects in folders of steps whose names are those that StepWriter gives. All others under the prefix are left alone.
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
  /// read for each manifest that this object and its copies have not read before. Sizes, generations and checksums of
  /// all files are compared with the manifests; no file is read.
  Result<std::vector<ListedStep>> List() const;

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
  Result<LatestStep> Latest() const;

  /// The same. Calls `open` for a step on another thread, at the same time as the requests for its files, so that
  /// reading begins one round trip earlier. The last call is for the step that is returned. If `open` returns
  /// kNotFound, kAborted or kCorrupted, the step is skipped. If that last call fails otherwise, returns its error; an
  /// exception becomes kLocalIo.
  Result<LatestStep> OpenLatest(const std::function<Result<void>(const StoredStep&)>& open) const;

  /// Reads one step's manifest with one request. Returns kNotFound if there is none, and kUndecodable as
  /// ParseManifest() does, or if it is the manifest of another step.
  Result<StoredStep> Read(std::int64_t step) const;

  /// Opens a file of a step, in the generation that the manifest names. Makes no request. Uses the CallOptions of
  /// Open(), and its stop_token if `options` has none.
  Result<ObjectReader> OpenFile(const StepFile& file, ObjectReaderOptions options = {}) const;

  /// Checks that all files exist, with one request for each, up to 16 at the same time. Returns kNotFound if a file is
  /// missing or has another generation, and kAborted if it has another size or checksum.
  Result<void> HasFiles(const std::vector<StepFile>& files) const;

  /// Opens a step as one checkpoint.
  /// - A step of CheckpointRun: its own file, and its tensors in files of other steps. Takes the reads of
  ///   StoredCheckpoint::Open() for its own file.
  /// - A step of ShardedCheckpoints: its slices are joined. Takes no read.
  /// Returns kUndecodable if neither CheckpointRun nor ShardedCheckpoints saved the step.
  Result<StoredCheckpoint> OpenStep(const StoredStep& step, const ObjectReaderOptions& options = {}) const;

  /// Deletes the step's manifest, then the files that no other manifest names. Returns kPreconditionFailed if it is the
  /// last whole step, or if its manifest changes meanwhile. Right before it deletes the manifest of a whole step, it
  /// checks that another whole step still has one: docs/checkpoints.md describes the window that remains. Sweep()
  /// removes what an interrupted removal leaves.
  ///
  /// While another step's manifest cannot be read, removes nothing and returns kUndecodable, because that manifest may
  /// name the files. Of a step whose own manifest cannot be read, it then removes the manifest and leaves the files.
  Result<void> Remove(std::int64_t step) const;

  /// Removes the whole steps that the rules do not keep, the oldest first. Damaged steps are not counted and not
  /// removed. While a manifest cannot be read, no step is removed. A step that cannot be removed is reported. The
  /// removal ends after kCancelled, and after kPermissionDenied unless a retention policy is the reason.
  Result<KeepReport> Keep(const KeepRules& rules, bool is_dry_run = false) const;

  /// Removes files of the form of name that StepWriter gives, in folders of steps, that no manifest names. If a
  /// manifest cannot be read, removes nothing and returns kUndecodable, because that manifest may name them.
  Result<SweepReport> Sweep(const SweepOptions& options = {}) const;

 private:
  friend class StepWriter;
  friend internal::StepStore& internal::StoreOf(const CheckpointSteps& steps);
  explicit CheckpointSteps(std::shared_ptr<internal::StepStore> store);
  std::shared_ptr<internal::StepStore> store_;
};

}  // namespace gcsflux
