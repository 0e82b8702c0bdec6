#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checkpoints/manifest.h"
#include "checkpoints/run_identity.h"
#include "checkpoints/step_store.h"
#include "checkpoints/write_checkpoint.h"
#include "gcsflux/checkpoints/saves.h"

// The one writer of a run's steps: docs/checkpoints.md.
namespace gcsflux {

/// Writes a file under a name that StepWriter::ReserveName() gave, perhaps in another process. The options' mode is not
/// used.
Result<StepFile> WriteStepFile(const internal::StepStore& store, const std::string& name, const CheckpointWriter& write,
                               const UploadOptions& options = {});

/// Adds steps to a run: files first, the manifest last. A prefix has one writer at a time. Thread-safe; movable.
class StepWriter {
 public:
  /// Takes the prefix for this run. Unless it takes the prefix over, returns kAlreadyExists if another run has it; the
  /// message names that run and the time of its start.
  static Result<StepWriter> Start(std::shared_ptr<internal::StepStore> store, bool take_over = false);
  StepWriter(StepWriter&&) noexcept;
  StepWriter& operator=(StepWriter&&) noexcept;
  /// Does not release the prefix, as in a crash: call Release() before.
  ~StepWriter();

  [[nodiscard]] const internal::RunIdentity& identity() const;
  [[nodiscard]] internal::StepStore& store() const;

  /// Writes a file of a step under a name that no other file has. It becomes a part of the step by Commit().
  /// The options' mode is not used.
  Result<StepFile> WriteFile(std::int64_t step, const std::string& name, const CheckpointWriter& write,
                             const UploadOptions& options = {});
  /// Returns a name for a file of a step that another process writes by WriteStepFile(). Keep() does not delete that
  /// file before the end of Commit() or DropName().
  Result<std::string> ReserveName(std::int64_t step, const std::string& name);
  void DropName(const std::string& name);
  /// Protects files of earlier steps from Keep() and Remove() of this writer as long as the result exists. Call it if a
  /// new step names these files, and check with StepStore::HasFiles() afterwards that they exist. Returns null while
  /// Keep() or Remove() runs: then write new files instead. The result must not outlive the writer.
  [[nodiscard]] std::shared_ptr<const void> Pin(std::vector<StepFile> files);
  /// Deletes files that WriteFile() wrote and Commit() has not named. Failures are ignored.
  void Discard(const std::vector<StepFile>& files);

  /// Returns what Commit() will refuse: call it before files are written. The manifest's files and tensors are
  /// not examined. Returns kInvalidArgument for a step's number that is out of range, for metrics that are not finite,
  /// and for texts that are not UTF-8. Unless `mode` is kRewind, also if a whole step has a higher number, because
  /// rules and Latest() would take that one for the newest. The first call lists the names of higher steps; later ones
  /// make no request, unless an earlier call was about a higher step.
  Result<void> CheckStep(const CheckpointManifest& about, CommitMode mode = CommitMode::kCreate);

  /// Makes the whole step visible by one request. Sets `run` and `writer` of the manifest. The files are those of
  /// WriteFile() and WriteStepFile(), or of existing steps. If CheckStep() fails, deletes the files and
  /// returns its error.
  ///
  /// With kRewind, returns an error if a higher step could not be removed: the message says that this one is saved.
  ///
  /// Returns kPreconditionFailed if another run has taken the prefix over; the message names that run. The writer
  /// checks this right before it writes the manifest, and again after that. If the second check fails, the manifest
  /// exists, and the other run may have removed its files: the message says so. If the service refuses the manifest (a
  /// wrong argument, permission, precondition), and certainly has not stored it (Error::outcome), the step is unchanged
  /// and the files are deleted. After any other error nothing is deleted: if the outcome is kUnknown, the step may or
  /// may not exist; if it does not, Keep() removes the files.
  Result<StoredStep> Commit(CheckpointManifest manifest, CommitMode mode = CommitMode::kCreate);

  /// As CheckpointSteps::Keep(). The step that this writer committed last always stays. Before that, it removes the
  /// files that crashed saves and interrupted removals have left. It does not remove files of saves that are in
  /// progress in this writer. If another call of Keep() is in progress, it does nothing. If another run has taken the
  /// prefix over, it removes nothing and returns kPreconditionFailed.
  Result<RemovalReport> Keep(const KeepRules& rules);

  /// As CheckpointSteps::Remove(), but leaves files of saves that are in progress in this writer. Waits for other calls
  /// of Remove() and Keep(). If another run has taken the prefix over, it removes nothing and returns
  /// kPreconditionFailed.
  Result<void> Remove(std::int64_t step);

  /// Releases the prefix, so that the next run does not have to take it over.
  Result<void> Release();

 private:
  struct State;
  class Removal;
  class Cleaning;
  explicit StepWriter(std::unique_ptr<State> state);
  Result<RemovalReport> Clean(const KeepRules* rules);
  std::unique_ptr<State> state_;
};

}  // namespace gcsflux
