#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process/mutex.h"
#include "checkpoints/manifest.h"
#include "gcsflux/client.h"
#include "gcsflux/listing.h"
#include "gcsflux/object_reader.h"

namespace gcsflux::internal {

/// What a listing of a run's prefix shows of one step.
struct FoundStep {
  std::optional<ListedObject> manifest = {};
  /// The objects in the step's folder that have a name of ours, by their names below the prefix.
  std::map<std::string, ListedObject> files = {};
  /// The other objects in it. Unless a manifest names them, they are not of this library.
  std::vector<std::string> others = {};
};

/// Steps by number.
using FoundSteps = std::map<std::int64_t, FoundStep>;

/// The objects of a run, and the manifests that were read. Thread-safe.
class StepStore {
 public:
  StepStore(Client client, ObjectName prefix, CallOptions call, std::stop_token stop);

  [[nodiscard]] const Client& client() const { return client_; }
  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] const CallOptions& call() const { return call_; }
  /// The token of all requests.
  [[nodiscard]] std::stop_token stop() const {
    const MutexLock lock(mutex_);
    return stop_;
  }
  /// From now on this token ends requests.
  void StopBy(std::stop_token stop) {
    const MutexLock lock(mutex_);
    stop_ = std::move(stop);
  }
  /// The number of answered requests for reading, listing and deleting, and of chunks of manifests that have arrived.
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  /// The object of this name below the prefix.
  [[nodiscard]] ObjectName At(std::string_view name) const;

  [[nodiscard]] Result<FoundSteps> Find() const;
  /// `generation` 0 is the live one.
  [[nodiscard]] Result<StoredStep> ReadManifest(std::int64_t step, std::int64_t generation = 0) const;
  /// What the manifest says. If it was read before, makes no request.
  Result<Step> KnownStep(std::int64_t step, std::int64_t generation);
  void Remember(const StoredStep& step);
  /// Forgets manifests that a listing does not show.
  void RememberOnly(const FoundSteps& found);

  /// The generation of the step's manifest now. 0 if it has none.
  [[nodiscard]] Result<std::int64_t> ManifestGeneration(std::int64_t step) const;
  /// Checks that this generation of a file exists. Returns kNotFound if it is missing, and kAborted if its size or
  /// checksum differs. The message says what to do.
  [[nodiscard]] Result<void> CheckFile(std::int64_t step, const StepFile& file) const;

  /// The same of several files, up to 16 at the same time.
  [[nodiscard]] Result<void> HasFiles(const std::vector<StepFile>& files) const;
  /// Opens this generation of a file. Makes no request. If `options` has no stop_token, uses that of all requests.
  [[nodiscard]] Result<ObjectReader> OpenFile(const StepFile& file, ObjectReaderOptions options = {}) const;

  /// Deletes the live object if it is this generation. Returns kPreconditionFailed if it is another one. If there is
  /// none, succeeds.
  [[nodiscard]] Result<void> Delete(std::string_view name, std::int64_t generation) const;

 private:
  const Client client_;
  const ObjectName prefix_;
  const CallOptions call_;
  const std::string uri_;
  mutable std::atomic<std::uint64_t> answered_ = 0;
  mutable Mutex mutex_;
  std::stop_token stop_ GUARDED_BY(mutex_);
  // By step and generation.
  std::map<std::pair<std::int64_t, std::int64_t>, Step> known_ GUARDED_BY(mutex_);
};

/// As CheckpointSteps::Open().
Result<std::shared_ptr<StepStore>> OpenStepStore(const Client& client, const std::string& uri,
                                                 const CallOptions& call = {}, const std::stop_token& stop = {});

/// A listing of a run's prefix.
struct RunListing {
  FoundSteps found = {};
  std::vector<Step> steps = {};  ///< Their manifests were read, and their files compared.
  /// Steps whose manifest was removed or replaced during the listing: no removal takes what has replaced it.
  std::set<std::int64_t> changed = {};
};

/// Lists all steps. Lists again if a listed manifest was removed or replaced before it was read.
Result<RunListing> ListRun(StepStore& store);

/// Whether the error says that a step is not whole. Other errors are about the connection, or the caller's permissions.
bool IsOfTheStep(const Error& error);

/// Whether the step has a manifest that was read.
inline bool IsReadable(const Step& step) { return !step.files.empty(); }

/// The files that manifests name.
std::set<std::string> NamedFiles(const std::vector<Step>& steps);

/// What a removal leaves alone in any case.
struct KeepLimits {
  bool is_dry_run = false;
  std::set<std::string> spared = {};           ///< Files.
  std::optional<std::int64_t> committed = {};  ///< The step that was committed last.
};

/// As CheckpointSteps::Remove(). `may_remove` is asked after the listing; its error ends the call.
Result<void> RemoveStep(StepStore& store, std::int64_t step, const KeepLimits& limits,
                        const std::function<Result<void>()>& may_remove = {});

/// Removes the steps above `step`, the lowest first, leaving files in `spared` alone. `may_remove` is as above.
Result<void> RemoveStepsAbove(StepStore& store, std::int64_t step, const std::set<std::string>& spared,
                              const std::function<Result<void>()>& may_remove);

/// As CheckpointSteps::Keep(), of a listing.
Result<RemovalReport> KeepListed(const StepStore& store, RunListing listed, const KeepRules& rules,
                                 const KeepLimits& limits);

/// As CheckpointSteps::CollectGarbage(), of a listing, leaving `spared` alone.
Result<RemovalReport> CollectListed(const StepStore& store, const RunListing& listed, std::chrono::seconds min_age,
                                    bool is_dry_run, const std::set<std::string>& spared);

/// The numbers of the steps that stay, in ascending order. The newest step always stays. The number of a step says
/// which one is newest. Its time only says in which hour and day it is.
std::vector<std::int64_t> StepsToKeep(std::span<const Step> steps, const KeepRules& rules);

}  // namespace gcsflux::internal
