#include "checkpoints/step_writer.h"

#include <algorithm>
#include <condition_variable>
#include <set>
#include <utility>

#include "base/either_stop.h"
#include "base/process/mutex.h"
#include "base/text/rfc3339.h"
#include "checkpoints/check_manifest.h"
#include "checkpoints/latest_hint.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/step_names.h"
#include "gcsflux/client.h"
#include "gcsflux/version.h"

namespace gcsflux {
namespace {

using internal::RunIdentity;
using internal::StepStore;

constexpr int kMostStarts = 3;     // Another run may start and end meanwhile.
constexpr int kMostReplaces = 10;  // Another save of this run may replace the step meanwhile.

Result<ObjectMetadata> PutWriter(const StepStore& store, const RunIdentity& identity, std::int64_t replaced) {
  const WriteMode mode = replaced == 0 ? WriteMode::kCreate : WriteMode::kReplace;
  return UploadObject(store.client(), store.At(internal::kWriterObject), AsBytes(identity.id + "\n"),
                      {.mode = mode,
                       .generation = replaced,
                       .attributes = internal::AttributesOf(identity),
                       .call = store.call(),
                       .stop = store.stop()});
}

Result<ObjectMetadata> GetWriter(const StepStore& store) {
  return store.client().GetObject(store.At(internal::kWriterObject),
                                  {.fields = "metadata,timeCreated", .call = store.call(), .stop = store.stop()});
}

Error Refused(const StepStore& store, const RunIdentity& other) {
  return {ErrorCode::kAlreadyExists,
          store.uri() + " is written by " + internal::Describe(other) +
              "; use another prefix, or CheckpointRunOptions::take_over if that run is over"};
}

// Whether the service certainly did not store the object.
bool IsRefusal(const Error& error) {
  if (error.outcome != WriteOutcome::kNotStored) return false;
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kPreconditionFailed: return true;
    default: return false;
  }
}

Error Cancelled(const StepStore& store) {
  return {ErrorCode::kCancelled, "removing steps of " + store.uri() + " was cancelled"};
}

// If a file is sent in parts, its errors have the name of the parts.
Error OfFile(const std::string& uri, Error error) {
  if (error.message.find(uri) == std::string::npos) error.message = uri + ": " + error.message;
  return error;
}

}  // namespace

struct StepWriter::State {
  State(std::shared_ptr<StepStore> of, RunIdentity who, std::int64_t generation)
      : owned(std::move(of)), identity(std::move(who)), writer_generation(generation) {}

  [[nodiscard]] Result<void> CheckStillWriter() const;
  [[nodiscard]] Result<ObjectMetadata> PutManifest(const CheckpointManifest& manifest, const std::string& json,
                                                   std::int64_t replaced) const;
  [[nodiscard]] Result<ObjectMetadata> PutAsWriter(const CheckpointManifest& manifest, CommitMode mode) const;
  [[nodiscard]] Error StepExists(std::int64_t step, const Error& refusal) const;
  [[nodiscard]] Error MaybeDamaged(std::int64_t step, const Error& why) const;
  void Settle(const CheckpointManifest& manifest);
  [[nodiscard]] Result<void> RemoveAbove(std::int64_t step);
  void Forget(const std::vector<StepFile>& files);
  Result<RemovalReport> Clean(const KeepRules* rules);
  [[nodiscard]] std::set<std::string> UnderWay();
  [[nodiscard]] std::set<std::string> Spared();
  void GiveBack(const std::vector<StepFile>& files);

  const std::shared_ptr<StepStore> owned;
  StepStore& store = *owned;
  const RunIdentity identity;
  const std::int64_t writer_generation;
  internal::HintWriter hint;

  internal::Mutex mutex;
  std::set<std::string> drafts GUARDED_BY(mutex);   // Files that are in no manifest yet.
  std::set<std::string> settled GUARDED_BY(mutex);  // Files that were committed since the last cleaning began.
  std::multiset<std::string> pinned GUARDED_BY(mutex);
  bool is_cleaning GUARDED_BY(mutex) = false;
  bool is_removing GUARDED_BY(mutex) = false;
  std::optional<std::int64_t> committed GUARDED_BY(mutex);  // The step that was committed last.
  std::optional<std::int64_t> newest GUARDED_BY(mutex);     // No whole step has a higher number.
  std::condition_variable_any removing_ended;
};

Result<void> StepWriter::State::CheckStillWriter() const {
  const auto now = GetWriter(store);
  if (now && now->generation == writer_generation) return {};
  if (now) {
    return Error{ErrorCode::kPreconditionFailed, store.uri() + " was taken over by " +
                                                     internal::Describe(internal::IdentityOf(*now)) +
                                                     "; this run saves no more steps there"};
  }
  if (now.error().code != ErrorCode::kNotFound) return now.error();
  return Error{ErrorCode::kPreconditionFailed,
               ToUri(store.At(internal::kWriterObject)) +
                   " was deleted, so that this run no longer has the prefix; start it again"};
}

Error StepWriter::State::StepExists(std::int64_t step, const Error& refusal) const {
  const auto there = store.ReadManifest(step, 0);
  const std::string by =
      there ? ", saved by run " + there->manifest.run + " at " + internal::FormatRfc3339(there->manifest.time) : "";
  return {ErrorCode::kAlreadyExists,
          "step " + std::to_string(step) + " of " + store.uri() + " is there already" + by +
              "; save it with CommitMode::kReplace, or save another step: " + refusal.message};
}

Error StepWriter::State::MaybeDamaged(std::int64_t step, const Error& why) const {
  return {.code = why.code,
          .message = "step " + std::to_string(step) + " of " + store.uri() +
                     " was saved, and may have lost its files to another run: " + why.message,
          .outcome = WriteOutcome::kStored};
}

Result<ObjectMetadata> StepWriter::State::PutManifest(const CheckpointManifest& manifest, const std::string& json,
                                                      std::int64_t replaced) const {
  const ObjectName object = store.At(internal::ManifestName(manifest.step));
  auto stored = UploadObject(store.client(), object, AsBytes(json),
                             {.mode = replaced == 0 ? WriteMode::kCreate : WriteMode::kReplace,
                              .generation = replaced,
                              .attributes = {.content_type = "application/json"},
                              .call = store.call(),
                              .stop = store.stop()});
  if (!stored && stored.error().code == ErrorCode::kPreconditionFailed && IsRefusal(stored.error())) {
    return StepExists(manifest.step, stored.error());
  }
  return stored;
}

Result<ObjectMetadata> StepWriter::State::PutAsWriter(const CheckpointManifest& manifest, CommitMode mode) const {
  const auto json = FormatManifest(manifest);
  if (!json) return json.error();
  for (int tries = 1;; ++tries) {
    // Read before the writer is checked: then the manifest of a run that takes the prefix over meanwhile is not
    // replaced.
    const auto replaced =
        mode == CommitMode::kCreate ? Result<std::int64_t>(0) : store.ManifestGeneration(manifest.step);
    if (!replaced) return replaced.error();
    if (auto is_writer = CheckStillWriter(); !is_writer) return is_writer.error();
    auto stored = PutManifest(manifest, *json, *replaced);
    const bool was_replaced = !stored && stored.error().code == ErrorCode::kAlreadyExists;
    if (!was_replaced || mode == CommitMode::kCreate || tries == kMostReplaces) return stored;
  }
}

// A manifest names them now.
void StepWriter::State::Settle(const CheckpointManifest& manifest) {
  const internal::MutexLock lock(mutex);
  committed = manifest.step;
  newest = std::max(newest.value_or(manifest.step), manifest.step);
  for (const StepFile& file : manifest.files) {
    if (drafts.erase(file.name) > 0 && is_cleaning) settled.insert(file.name);
  }
}

// The next listing shows whether a manifest names them.
void StepWriter::State::Forget(const std::vector<StepFile>& files) {
  const internal::MutexLock lock(mutex);
  for (const StepFile& file : files) drafts.erase(file.name);
}

// While one exists, no other removal runs: two would each leave the step that the other one removes.
class StepWriter::Removal {
 public:
  explicit Removal(State& state) : state_(state) {
    internal::MutexLock lock(state.mutex);
    const auto is_free = [&state]() REQUIRES(state.mutex) { return !state.is_removing; };
    has_begun_ = state.removing_ended.wait(lock, state.store.stop(), is_free);
    if (has_begun_) state.is_removing = true;
  }
  ~Removal() {
    if (!has_begun_) return;
    const internal::MutexLock lock(state_.mutex);
    state_.is_removing = false;
    state_.removing_ended.notify_all();
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;

  // False if the caller's token was stopped before.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

 private:
  State& state_;
  bool has_begun_ = false;
};

// The one cleaning of a writer.
class StepWriter::Cleaning {
 public:
  explicit Cleaning(State& state) : state_(state) {
    const internal::MutexLock lock(state.mutex);
    is_only_one_ = !std::exchange(state.is_cleaning, true);
    if (is_only_one_) state.settled.clear();
  }
  ~Cleaning() {
    if (!is_only_one_) return;
    const internal::MutexLock lock(state_.mutex);
    state_.is_cleaning = false;
  }
  Cleaning(const Cleaning&) = delete;
  Cleaning& operator=(const Cleaning&) = delete;

  [[nodiscard]] bool is_only_one() const { return is_only_one_; }

 private:
  State& state_;
  bool is_only_one_ = false;
};

// Files of saves that are under way. A listing that begins now shows which of the others a manifest names.
std::set<std::string> StepWriter::State::UnderWay() {
  const internal::MutexLock lock(mutex);
  std::set<std::string> spared = drafts;
  spared.insert(pinned.begin(), pinned.end());
  return spared;
}

// Those, and files that were committed after the cleaning began: its listing may lack the manifest that names them.
std::set<std::string> StepWriter::State::Spared() {
  std::set<std::string> spared = UnderWay();
  const internal::MutexLock lock(mutex);
  spared.insert(settled.begin(), settled.end());
  return spared;
}

// A new manifest may name them, and a cleaning that began before it does not know that.
void StepWriter::State::GiveBack(const std::vector<StepFile>& files) {
  const internal::MutexLock lock(mutex);
  for (const StepFile& file : files) {
    pinned.erase(pinned.find(file.name));
    if (is_cleaning) settled.insert(file.name);
  }
}

// Spares files of this writer that were in no manifest when the listing began.
Result<RemovalReport> StepWriter::State::Clean(const KeepRules* rules) {
  auto listed = internal::ListRun(store);
  if (!listed) return listed.error();
  // A run that has the prefix still was the only one before, so what the listing shows is no file of another's save.
  if (auto is_writer = CheckStillWriter(); !is_writer) return is_writer.error();
  internal::KeepLimits limits{.spared = Spared()};
  {
    const internal::MutexLock lock(mutex);
    limits.committed = committed;
  }
  const auto collected =
      internal::CollectListed(store, *listed, std::chrono::seconds(0), /*is_dry_run=*/false, limits.spared);
  if (rules == nullptr) return RemovalReport{};
  auto report = internal::KeepListed(store, *std::move(listed), *rules, limits);
  if (report && !collected) report->leftovers = collected.error();
  return report;
}

Result<void> StepWriter::State::RemoveAbove(std::int64_t step) {
  const Removal removal(*this);
  const auto may_remove = [this] { return CheckStillWriter(); };
  auto removed = removal.has_begun() ? internal::RemoveStepsAbove(store, step, UnderWay(), may_remove)
                                     : Result<void>(Cancelled(store));
  if (removed) {
    const internal::MutexLock lock(mutex);
    newest = step;
    return {};
  }
  Error error = removed.error();
  error.message =
      "step " + std::to_string(step) + " of " + store.uri() +
      " was saved, and steps with higher numbers still exist; remove them by `gcsflux checkpoint rm`: " + error.message;
  error.outcome = WriteOutcome::kStored;
  return error;
}

Result<StepWriter> StepWriter::Start(std::shared_ptr<StepStore> of, bool take_over) {
  const StepStore& store = *of;
  RunIdentity identity = internal::MakeRunIdentity();
  std::int64_t replaced = 0;
  RunIdentity other;
  for (int i = 0; i < kMostStarts; ++i) {
    const auto put = PutWriter(store, identity, replaced);
    if (put) {
      identity.started = put->time_created;
      return StepWriter(std::make_unique<State>(std::move(of), std::move(identity), put->generation));
    }
    if (put.error().code != ErrorCode::kPreconditionFailed && put.error().code != ErrorCode::kNotFound) {
      return put.error();
    }
    const auto there = GetWriter(store);
    if (!there && there.error().code != ErrorCode::kNotFound) return there.error();
    if (!there && put.error().code == ErrorCode::kNotFound && replaced == 0) return put.error();  // The bucket.
    replaced = there ? there->generation : 0;
    if (there) other = internal::IdentityOf(*there);
    if (there && !take_over) break;
  }
  return Refused(store, other);
}

Result<StepFile> WriteStepFile(const StepStore& store, const std::string& name, const CheckpointWriter& write,
                               const UploadOptions& options) {
  const std::string uri = ToUri(store.At(name));
  UploadOptions of_file = options;
  of_file.mode = WriteMode::kCreate;
  of_file.is_private_name = false;
  const internal::EitherStop either(store.stop(), options.stop);
  of_file.stop = either.token();
  const auto written = WriteCheckpoint(store.client(), uri, write, of_file);
  if (!written) return OfFile(uri, written.error());
  if (written->crc32c) return StepFile{name, written->size, written->generation, *written->crc32c};
  return Error{ErrorCode::kUnverified, uri + ": the service tells no CRC32C, which a manifest needs"};
}

StepWriter::StepWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
StepWriter::StepWriter(StepWriter&&) noexcept = default;
StepWriter& StepWriter::operator=(StepWriter&&) noexcept = default;
StepWriter::~StepWriter() = default;

const RunIdentity& StepWriter::identity() const { return state_->identity; }
StepStore& StepWriter::store() const { return state_->store; }

Result<StepFile> StepWriter::WriteFile(std::int64_t step, const std::string& name, const CheckpointWriter& write,
                                       const UploadOptions& options) {
  const auto below = ReserveName(step, name);
  if (!below) return below.error();
  auto written = WriteStepFile(store(), *below, write, options);
  if (!written) DropName(*below);
  return written;
}

Result<std::string> StepWriter::ReserveName(std::int64_t step, const std::string& name) {
  std::string below = internal::NewFileName(step, name);
  if (step < 0 || step > kMaxStep || !internal::StepOfFile(below)) {
    return Error{ErrorCode::kInvalidArgument, "step " + std::to_string(step) + ", file '" + name +
                                                  "': steps go from 0 to " + std::to_string(kMaxStep) +
                                                  ", and a file's name has no '/'"};
  }
  const internal::MutexLock lock(state_->mutex);
  state_->drafts.insert(below);
  return below;
}

void StepWriter::DropName(const std::string& name) {
  const internal::MutexLock lock(state_->mutex);
  state_->drafts.erase(name);
}

std::shared_ptr<const void> StepWriter::Pin(std::vector<StepFile> files) {
  State* const state = state_.get();
  const internal::MutexLock lock(state->mutex);
  if (state->is_cleaning || state->is_removing) return nullptr;
  for (const StepFile& file : files) state->pinned.insert(file.name);
  return {state, [files = std::move(files)](State* of) { of->GiveBack(files); }};
}

void StepWriter::Discard(const std::vector<StepFile>& files) {
  for (const StepFile& file : files) {
    {
      const internal::MutexLock lock(state_->mutex);
      if (state_->drafts.erase(file.name) == 0) continue;
    }
    // If this fails, the next Keep() removes the file, since no manifest names it.
    static_cast<void>(state_->store.Delete(file.name, file.generation).ok());
  }
}

Result<void> StepWriter::CheckStep(const CheckpointManifest& about, CommitMode mode) {
  if (const auto wrong = internal::WhatIsWrongWithoutFiles(about)) {
    return Error{ErrorCode::kInvalidArgument,
                 "step " + std::to_string(about.step) + " of " + store().uri() + ": " + *wrong};
  }
  if (mode == CommitMode::kRewind) return {};
  {
    const internal::MutexLock lock(state_->mutex);
    if (state_->newest && *state_->newest <= about.step) return {};
  }
  if (auto checked = internal::CheckNoneIsNewer(store(), about.step); !checked) return checked;
  const internal::MutexLock lock(state_->mutex);
  if (!state_->newest) state_->newest = about.step;
  return {};
}

Result<StoredStep> StepWriter::Commit(CheckpointManifest manifest, CommitMode mode) {
  if (auto checked = CheckStep(manifest, mode); !checked) return Discard(manifest.files), checked.error();
  manifest.run = state_->identity.id;
  manifest.writer = std::string("gcsflux ") + kVersion;
  manifest.time = std::chrono::floor<std::chrono::milliseconds>(manifest.time);
  const auto put = state_->PutAsWriter(manifest, mode);
  if (!put) {
    if (IsRefusal(put.error())) Discard(manifest.files);
    state_->Forget(manifest.files);
    return put.error();
  }
  state_->Settle(manifest);
  // A run that took the prefix over before the manifest was there may have removed the files.
  if (auto is_writer = state_->CheckStillWriter(); !is_writer)
    return state_->MaybeDamaged(manifest.step, is_writer.error());
  StoredStep stored{std::move(manifest), put->generation};
  state_->store.Remember(stored);
  state_->hint.Tell(state_->store, stored.manifest.step, put->time_created);
  // The replaced files are in no manifest now. If this fails, the next Keep() removes them.
  if (mode != CommitMode::kCreate) static_cast<void>(Clean(nullptr).ok());
  if (mode != CommitMode::kRewind) return stored;
  if (auto removed = state_->RemoveAbove(stored.manifest.step); !removed) return removed.error();
  return stored;
}

Result<RemovalReport> StepWriter::Keep(const KeepRules& rules) { return Clean(&rules); }

Result<RemovalReport> StepWriter::Clean(const KeepRules* rules) {
  const Cleaning cleaning(*state_);
  if (!cleaning.is_only_one()) return RemovalReport{};
  const Removal removal(*state_);
  if (!removal.has_begun()) return Cancelled(state_->store);
  return state_->Clean(rules);
}

Result<void> StepWriter::Remove(std::int64_t step) {
  const Removal removal(*state_);
  if (!removal.has_begun()) return Cancelled(state_->store);
  const auto may_remove = [this] { return state_->CheckStillWriter(); };
  return internal::RemoveStep(state_->store, step, {.spared = state_->UnderWay()}, may_remove);
}

Result<void> StepWriter::Release() { return state_->store.Delete(internal::kWriterObject, state_->writer_generation); }

}  // namespace gcsflux
