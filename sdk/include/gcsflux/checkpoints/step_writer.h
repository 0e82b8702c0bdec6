#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/checkpoints/write_checkpoint.h"

// The one writer of a run's steps: docs/checkpoints.md.
namespace gcsflux {

/// Who writes a run's steps: the attributes of the object "writer" below the run's prefix.
struct RunIdentity {
  std::string id = {};  ///< Random; no other run has it.
  std::string host = {};
  std::int64_t process = 0;
  std::chrono::system_clock::time_point started = {};  ///< By the service's clock.
};

struct StepWriterOptions {
  /// Takes the prefix over from the run that has it, dead or alive. Set it for jobs that are started again after a
  /// crash or a preemption, where the scheduler never runs two.
  bool take_over = false;
};

/// What Commit() may replace.
enum class CommitMode {
  kCreate,   ///< Nothing: kAlreadyExists if the step has a manifest.
  kReplace,  ///< The step's manifest, if there is one; its files go once the new manifest is there.
};

/// What came of a save.
struct SavedStep {
  StoredStep stored = {};
  KeepReport kept = {};                  ///< What the rules removed, and what could not be removed.
  std::optional<Error> keep_error = {};  ///< The step is saved; the others could not be listed, and all of them stay.
};

/// Writes a file whose name StepWriter::ReserveName() gave, maybe to another process. The options' mode is not used.
Result<StepFile> WriteStepFile(const CheckpointSteps& steps, const std::string& name, const CheckpointWriter& write,
                               const ParallelWriterOptions& options = {});
/// Deletes a file that is in no manifest. One that is gone is deleted.
Result<void> DeleteStepFile(const CheckpointSteps& steps, const StepFile& file);

/// Adds steps to a run: files first, the manifest last. One writer at a time has a prefix. Thread-safe; movable.
class StepWriter {
 public:
  /// Makes the prefix this run's. kAlreadyExists if another run has it: the message says which one, and since when.
  static Result<StepWriter> Start(const CheckpointSteps& steps, const StepWriterOptions& options = {});
  StepWriter(StepWriter&&) noexcept;
  StepWriter& operator=(StepWriter&&) noexcept;
  /// Leaves the prefix this run's, as a crash does: call Release().
  ~StepWriter();

  [[nodiscard]] const RunIdentity& identity() const;
  [[nodiscard]] const CheckpointSteps& steps() const;

  /// Writes a file of a step under a name that no other file has. It is no part of the step before Commit().
  /// The options' mode is not used.
  Result<StepFile> WriteFile(std::int64_t step, const std::string& name, const CheckpointWriter& write,
                             const ParallelWriterOptions& options = {});
  /// A name for a file of a step that another process writes by WriteStepFile(). Keep() spares that file until Commit()
  /// names it, or DropName().
  Result<std::string> ReserveName(std::int64_t step, const std::string& name);
  void DropName(const std::string& name);
  /// Keeps files of earlier steps as long as the result lives: neither Keep() nor Remove() of this writer deletes them.
  /// For a step that is to name them: ask after that whether they are there. Null while one of both runs: write files
  /// of your own then. The result may not outlive the writer.
  [[nodiscard]] std::shared_ptr<const void> Borrow(std::vector<StepFile> files);
  /// Deletes files that WriteFile() wrote and Commit() has not named, as far as that succeeds.
  void Discard(const std::vector<StepFile>& files);

  /// Makes the step visible: all of it, by one request. `run` and `writer` are filled in. Files are those of
  /// WriteFile(), or of steps that are there.
  ///
  /// kPreconditionFailed if another run has taken the prefix over: the message says which one. The writer asks for that
  /// right before it writes the manifest; docs/checkpoints.md says which window remains. If the service refuses it (a
  /// wrong argument, permission, precondition), the step is as it was and the files are discarded. After any other
  /// error the step may be there or not, and Keep() removes the files if it is not.
  Result<StoredStep> Commit(CheckpointManifest manifest, CommitMode mode = CommitMode::kCreate);

  /// As CheckpointSteps::Keep(). Removes before that what crashed saves and interrupted removals have left, but for
  /// the files of saves that are under way in this writer. While another thread is in it, it does nothing.
  Result<KeepReport> Keep(const KeepRules& rules);

  /// As CheckpointSteps::Remove(), but for the files of saves that are under way in this writer.
  Result<void> Remove(std::int64_t step);

  /// Gives the prefix up, so that the next run need not take it over.
  Result<void> Release();

 private:
  struct State;
  explicit StepWriter(std::unique_ptr<State> state);
  Result<KeepReport> Clean(const KeepRules* rules);
  std::unique_ptr<State> state_;
};

}  // namespace gcsflux
