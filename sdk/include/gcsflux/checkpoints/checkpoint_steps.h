#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/client.h"
#include "gcsflux/formats.h"
#include "gcsflux/object_reader.h"

// The manifest makes files a step of a training run. It is written last: docs/checkpoints.md.
namespace gcsflux {

/// Steps have numbers from 0 to this one, so that their names sort as their numbers do.
inline constexpr std::int64_t kMaxStep = 99'999'999;

/// The most bytes of a manifest: a longer one is neither written nor read. They are enough for 8,000,000 slices.
inline constexpr std::size_t kMaxManifestBytes = std::size_t{96} << 20;

/// One file of a step: one generation of one object.
struct StepFile {
  std::string name = {};  ///< Below the run's prefix: "step-00000042/9f1c...-state.pt".
  std::uint64_t size = 0;
  std::int64_t generation = 0;
  std::uint32_t crc32c = 0;

  friend bool operator==(const StepFile&, const StepFile&) = default;
};

/// Where a tensor is.
struct StepTensor {
  std::string name = {};
  std::size_t file = 0;  ///< Index among the manifest's files.
  FileRange range = {};  ///< The bytes that the tensor touches in the file.
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  ///< In elements. Empty if the elements are contiguous.
  /// For a slice: where it begins in the whole tensor. Empty for a whole tensor.
  std::vector<std::int64_t> offsets = {};
  /// For a slice: the shape of the whole tensor. If it is set, the slices of this name hold each element of the tensor
  /// once.
  std::vector<std::int64_t> whole_shape = {};
  std::optional<std::uint32_t> crc32c = {};  ///< Of the bytes of `range`.

  friend bool operator==(const StepTensor&, const StepTensor&) = default;
};

struct CheckpointManifest {
  std::string run = {};  ///< RunIdentity::id of the run that saved the step.
  std::int64_t step = 0;
  std::chrono::system_clock::time_point time = {};  ///< By the clock of the machine that saved it; milliseconds.
  std::string writer = {};                          ///< The program that wrote the files: "gcsflux 0.1.0".
  std::vector<StepFile> files = {};
  std::vector<StepTensor> tensors = {};
  std::map<std::string, double> metrics = {};        ///< Finite numbers.
  std::map<std::string, std::string> metadata = {};  ///< The caller's own.

  friend bool operator==(const CheckpointManifest&, const CheckpointManifest&) = default;
};

/// Returns the manifest as JSON. If it has more than 30,000 tensors, they are stored as a binary table (version 2 of
/// the format), about 7 bytes per slice. Otherwise they are a list, which older versions of gcsflux read too. Returns
/// kInvalidArgument for what ParseManifest() refuses, and for texts that are not UTF-8. The message names the step and
/// the cause.
Result<std::string> FormatManifest(const CheckpointManifest& manifest);

/// Reads what FormatManifest() wrote. `place` is for messages: the object's URI.
///
/// Returns kUndecodable if:
/// - the text is not JSON, or longer than kMaxManifestBytes,
/// - the version of the format is newer,
/// - a field is missing or has another type,
/// - the step is below 0 or above kMaxStep,
/// - there is no file, a file is not in a step's folder, or a file is named twice,
/// - a tensor is outside its file,
/// - slices overlap or leave a hole, or
/// - a metric is not a number.
Result<CheckpointManifest> ParseManifest(std::string_view json, const std::string& place);

// A pure function of the list of steps says which of them stay.

/// What the rules know of a step.
struct RankedStep {
  std::int64_t step = 0;
  std::chrono::system_clock::time_point time = {};
  std::map<std::string, double> metrics = {};
};

enum class BestIs { kLowest, kHighest };

/// Keeps the best `count` steps by a metric. If two steps are equal, the newer one is better. Steps without the metric
/// have no rank. If no step has it, all steps stay, because its name may be wrong.
struct KeepBest {
  std::string metric = {};
  std::size_t count = 1;
  BestIs best_is = BestIs::kLowest;
};

/// A step stays if one rule keeps it. Without any rule all stay.
struct KeepRules {
  std::optional<std::size_t> last = {};  ///< Keeps this many of the newest steps.
  std::optional<KeepBest> best = {};
  std::optional<std::int64_t> every = {};  ///< Keeps steps that are multiples of it; at least 1.
  bool hourly = false;                     ///< Keeps the newest step of each hour, UTC.
  bool daily = false;                      ///< Keeps the newest step of each day, UTC.
};

/// The steps that stay, in ascending order. The newest step always stays. The number of a step says which one is
/// newest. Its time only says in which hour and day it is.
std::vector<std::int64_t> StepsToKeep(std::span<const RankedStep> steps, const KeepRules& rules);

// The steps of a training run on a prefix of a bucket: docs/checkpoints.md. step_writer.h adds steps.

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

/// What CollectGarbage() removed.
struct GarbageReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t young = 0;    ///< Files that were left because they are younger than GarbageOptions::min_age.
  std::uint64_t foreign = 0;  ///< As in KeepReport.
};

struct GarbageOptions {
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
  /// read for each manifest that this object and its copies have not read before. If a listed manifest went meanwhile,
  /// lists again, at most 10 times. Sizes, generations and checksums of all files are compared with the manifests; no
  /// file is read.
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

  /// Opens a step of CheckpointRun as one checkpoint: its own file, and its tensors in files of other ranks and of
  /// other steps. Slices are joined. Takes the reads of StoredCheckpoint::Open() for its own file, which for a group is
  /// that of rank 0. Steps of other files of safetensors have no values. Returns kUndecodable for other steps.
  Result<StoredCheckpoint> OpenStep(const StoredStep& step, const ObjectReaderOptions& options = {}) const;

  /// Deletes the step's manifest, then the files that no other manifest names. Returns kPreconditionFailed if it is the
  /// last whole step, or if its manifest changes meanwhile. Right before it deletes the manifest of a whole step, it
  /// checks that another whole step still has one: docs/checkpoints.md describes the window that remains.
  /// CollectGarbage() removes what an interrupted removal leaves.
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
  Result<GarbageReport> CollectGarbage(const GarbageOptions& options = {}) const;

 private:
  friend class StepWriter;
  friend internal::StepStore& internal::StoreOf(const CheckpointSteps& steps);
  explicit CheckpointSteps(std::shared_ptr<internal::StepStore> store);
  std::shared_ptr<internal::StepStore> store_;
};

// The one writer of a run's steps: docs/checkpoints.md.

/// The writer of a run's steps, as the object "writer" below the run's prefix names it.
struct RunIdentity {
  std::string id = {};  ///< Random; no other run has it.
  std::string host = {};
  std::int64_t process = 0;
  std::chrono::system_clock::time_point started = {};  ///< By the service's clock.
};

struct StepWriterOptions {
  /// Takes the prefix over from the run that has it, even if that run has not ended. Set it if jobs are started again
  /// after a crash or a preemption, and the scheduler never runs two at the same time.
  bool take_over = false;
};

/// What Commit() may replace.
enum class CommitMode {
  kCreate,   ///< Nothing. Returns kAlreadyExists if the step has a manifest.
  kReplace,  ///< The step's manifest, if there is one. Its files are deleted after the new manifest is written.
  /// The same, and all steps with higher numbers are removed after that. Use it to continue a run from an earlier step.
  kRewind,
};

/// The result of a save.
struct SavedStep {
  StoredStep stored = {};
  KeepReport kept = {};                  ///< What the rules removed, and what could not be removed.
  std::optional<Error> keep_error = {};  ///< The step is saved. The others could not be listed, and all of them stay.
};

/// Writes a file under a name that StepWriter::ReserveName() gave, perhaps in another process. The options' mode is not
/// used.
Result<StepFile> WriteStepFile(const CheckpointSteps& steps, const std::string& name, const CheckpointWriter& write,
                               const UploadOptions& options = {});
/// Deletes a file that is in no manifest. Succeeds also if the file no longer exists.
Result<void> DeleteStepFile(const CheckpointSteps& steps, const StepFile& file);

/// Adds steps to a run: files first, the manifest last. A prefix has one writer at a time. Thread-safe; movable.
class StepWriter {
 public:
  /// Takes the prefix for this run. Returns kAlreadyExists if another run has it; the message names that run and the
  /// time of its start.
  static Result<StepWriter> Start(const CheckpointSteps& steps, const StepWriterOptions& options = {});
  StepWriter(StepWriter&&) noexcept;
  StepWriter& operator=(StepWriter&&) noexcept;
  /// Does not release the prefix, as in a crash: call Release() before.
  ~StepWriter();

  /// Empty if this writer was moved from.
  [[nodiscard]] const RunIdentity& identity() const;
  [[nodiscard]] const CheckpointSteps& steps() const { return steps_; }

  /// Writes a file of a step under a name that no other file has. It becomes a part of the step by Commit().
  /// The options' mode is not used.
  Result<StepFile> WriteFile(std::int64_t step, const std::string& name, const CheckpointWriter& write,
                             const UploadOptions& options = {});
  /// Returns a name for a file of a step that another process writes by WriteStepFile(). Keep() does not delete that
  /// file before the end of Commit() or DropName().
  Result<std::string> ReserveName(std::int64_t step, const std::string& name);
  void DropName(const std::string& name);
  /// Protects files of earlier steps from Keep() and Remove() of this writer as long as the result exists. Call it if a
  /// new step names these files, and check with HasFiles() afterwards that they exist. Returns null while Keep() or
  /// Remove() runs: then write new files instead. The result must not outlive the writer.
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
  Result<KeepReport> Keep(const KeepRules& rules);

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
  Result<KeepReport> Clean(const KeepRules* rules);
  CheckpointSteps steps_;
  std::unique_ptr<State> state_;
};

// Saves that run beside the training: docs/checkpoints.md.

namespace internal {
class SaveInFlight;
}  // namespace internal

/// When a save copies the state.
enum class SnapshotMode {
  kEager,  ///< Before the call returns. After the call the state may change.
  kLazy,   ///< On another thread. The state may change after PendingSave::WaitStaged().
};

/// What a save does while `max_in_flight` saves are in flight.
enum class WhenBusy {
  kWait,     ///< It waits until one of them ends.
  kRefuse,   ///< It fails with kUnavailable.
  kReplace,  ///< It replaces the newest save that is not being sent yet. If all are being sent, it waits.
};

/// What the end of the run does with saves that are in flight.
enum class AtEnd { kWait, kCancel };

struct AsyncSaveOptions {
  SnapshotMode mode = SnapshotMode::kEager;
  WhenBusy when_busy = WhenBusy::kWait;
  /// The most saves in flight, which are begun and have not ended; at least 1. Each takes memory for a copy of the
  /// state. Raise it if saves sometimes take longer than the time between two saves.
  std::size_t max_in_flight = 1;
  /// Threads that copy. Raise it until the copy becomes no faster.
  std::size_t copy_threads = 2;
  AtEnd at_end = AtEnd::kWait;
  /// At the end of the run, saves that take longer than this are cancelled. The end then takes up to 4 s more: an
  /// upload removes its parts, and the prefix is released (for a group within GroupOptions::deadline). Lower it if
  /// the machine leaves less time.
  std::chrono::milliseconds end_deadline = std::chrono::minutes(5);
  /// Called at the end for each failure that neither PendingSave::WaitCommitted() nor a later save has returned. If it
  /// is empty or throws, the failure is printed on stderr.
  std::function<void(const Error&)> on_unreported = {};
};

/// A save that is under way. A handle: it may outlive the run. Thread-safe.
class PendingSave {
 public:
  /// Waits until the state is copied. After that the state may change, and be freed.
  void WaitStaged() const;
  [[nodiscard]] bool is_staged() const;

  /// Waits until the step is committed or has failed. Returns kCancelled if another save replaced it, or if the end of
  /// the run cancelled it.
  [[nodiscard]] Result<SavedStep> WaitCommitted() const;
  [[nodiscard]] bool is_done() const;
  /// Waits for the same. If the save has failed, the failure still counts as unreported.
  void WaitEnded() const;

  explicit PendingSave(std::shared_ptr<internal::SaveInFlight> save);  ///< For the library.

 private:
  std::shared_ptr<internal::SaveInFlight> save_;
};

}  // namespace gcsflux
