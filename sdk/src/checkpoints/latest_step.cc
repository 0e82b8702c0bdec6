#include "checkpoints/latest_step.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/call_user_code.h"
#include "checkpoints/latest_hint.h"
#include "checkpoints/step_names.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::internal {
namespace {

constexpr int kQuestionsAtOnce = 16;
constexpr int kMostListings = 10;  // A run with rules may remove listed steps meanwhile.

using OpenStep = std::function<Result<void>(const StoredStep&)>;

struct NamedSteps {
  std::set<std::int64_t> with_manifest = {};
  std::set<std::int64_t> all = {};
};

// A listing is kNotFound only if there is no such bucket, which must not look like a run that has no steps yet.
Error NoListing(Error error) {
  if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kInvalidArgument;
  return error;
}

// Lists the steps from `first` on by their names only, one level deep.
Result<NamedSteps> FindNames(const StepStore& store, std::int64_t first) {
  const ObjectName prefix = store.At("");
  ListOptions options{.delimiter = "/", .fields = "name", .call = store.call(), .stop = store.stop()};
  if (first > 0) options.start_offset = prefix.name + ManifestName(first);
  const auto listing = ListPrefix(store.client(), prefix, options);
  if (!listing) return NoListing(listing.error());
  NamedSteps steps;
  for (const ObjectMetadata& object : listing->objects) {
    if (const auto step = StepOfManifest(object.name.substr(prefix.name.size()))) {
      steps.with_manifest.insert(*step);
      steps.all.insert(*step);
    }
  }
  for (const std::string& folder : listing->prefixes) {
    if (const auto step = StepOfFile(folder.substr(prefix.name.size()) + "-")) steps.all.insert(*step);
  }
  return steps;
}

Error NoWholeStep(const StepStore& store, const NamedSteps& steps, const std::vector<Step>& skipped) {
  Error error{ErrorCode::kNotFound, "no step was saved in " + store.uri()};
  if (!steps.with_manifest.empty()) error = {ErrorCode::kUndecodable, "no step in " + store.uri() + " is whole:"};
  for (const Step& step : skipped) error.message += "\n  " + step.problem->message;
  return error;
}

Error RemovedMeanwhile(const StepStore& store) {
  return {ErrorCode::kAborted, "the steps of " + store.uri() + " were removed or replaced after each of " +
                                   std::to_string(kMostListings) + " listings; try again"};
}

class Search {
 public:
  Search(StepStore& store, const OpenStep& open, std::span<const DamagedStep> damaged)
      : store_(store), open_(open), damaged_(damaged) {}

  Result<LatestStored> Run() {
    if (const auto hint = ReadHint(store_)) {
      const auto is_found = FromHint(*hint);
      if (!is_found) return is_found.error();
      if (*is_found && !has_changed_) return std::move(latest_);
    }
    for (int listings = 1;; ++listings) {
      latest_ = {};  // This search finds the skipped ones again.
      has_changed_ = false;
      const auto steps = FindNames(store_, 0);
      if (!steps) return steps.error();
      const auto is_found = Among(*steps);
      if (!is_found) return is_found.error();
      if (has_changed_ && listings < kMostListings) continue;
      if (*is_found) return std::move(latest_);
      return has_changed_ ? RemovedMeanwhile(store_) : NoWholeStep(store_, *steps, latest_.skipped);
    }
  }

 private:
  // Reads the hint's manifest and lists the names from its step on, at the same time. Most often it is the newest step.
  Result<bool> FromHint(std::int64_t hint) {
    Result<NamedSteps> steps = NamedSteps();
    const auto ask = [&](std::size_t index, const std::stop_token&) -> Result<void> {
      if (index == 0) steps = FindNames(store_, hint);
      if (index == 1) hinted_ = store_.ReadManifest(hint, 0);
      return {};
    };
    if (auto asked = RunOnThreads(store_.client(), 2, 2, ask, store_.stop()); !asked) return asked.error();
    if (!steps) return steps.error();
    return Among(*steps);
  }

  // True if one of them is whole; then it is in latest_.
  Result<bool> Among(const NamedSteps& steps) {
    for (auto step = steps.all.rbegin(); step != steps.all.rend(); ++step) {
      auto stored = Read(*step, steps.with_manifest.contains(*step));
      auto whole = stored ? CheckFiles(*stored) : Result<void>(stored.error());
      if (whole && !opened_ && IsUnusable(opened_.error()))
        whole = opened_;  // It was removed between both requests, or is damaged.
      if (!whole && !IsOfTheStep(whole.error())) return whole.error();
      if (!whole) {
        latest_.skipped.push_back({.number = *step, .problem = whole.error()});
        const auto has_changed = HasChanged(*step, stored, steps);
        if (!has_changed) return has_changed.error();
        has_changed_ = has_changed_ || *has_changed;
        continue;
      }
      if (!opened_) return opened_.error();
      store_.Remember(*stored);
      latest_.stored = *std::move(stored);
      LeaveOutShared(steps);
      return true;
    }
    return false;
  }

  // Whether a listed step that is not whole was removed or replaced after the listing. Then there may be newer ones.
  Result<bool> HasChanged(std::int64_t step, const Result<StoredStep>& stored, const NamedSteps& steps) {
    if (!stored) return steps.with_manifest.contains(step) && stored.error().code == ErrorCode::kNotFound;
    const auto generation = store_.ManifestGeneration(step);
    if (!generation) return generation.error();
    return *generation != stored->generation;
  }

  // A removed step may have left files that this one names. It is not an unfinished step.
  void LeaveOutShared(const NamedSteps& steps) {
    const auto& files = latest_.stored.manifest.files;
    std::erase_if(latest_.skipped, [&](const Step& skipped) {
      if (steps.with_manifest.contains(skipped.number)) return false;
      return std::any_of(files.begin(), files.end(),
                         [&](const StepFile& file) { return StepOfFile(file.name) == skipped.number; });
    });
  }

  Result<StoredStep> Read(std::int64_t step, bool has_manifest) {
    if (!has_manifest) {
      return Error{ErrorCode::kNotFound,
                   "step " + std::to_string(step) +
                       " was not finished, or is no step of a run: its folder has objects, and there is no manifest"};
    }
    const bool is_read = hinted_ && hinted_->ok() && (*hinted_)->manifest.step == step;
    if (is_read) return *std::exchange(hinted_, std::nullopt);
    return store_.ReadManifest(step, 0);
  }

  Result<void> CheckFiles(const StoredStep& step) {
    const auto& files = step.manifest.files;
    opened_ = {};
    for (const DamagedStep& damaged : damaged_) {
      if (damaged.step == step.manifest.step && damaged.generation == step.generation) return damaged.why;
    }
    const std::size_t count = files.size() + (open_ ? 1 : 0);
    const auto ask = [&](std::size_t index, const std::stop_token&) -> Result<void> {
      if (index < files.size()) return store_.CheckFile(step.manifest.step, files[index]);
      opened_ = CallUserCode("function that opens a step", [&] { return open_(step); });
      return {};
    };
    return RunOnThreads(store_.client(), count, kQuestionsAtOnce, ask, store_.stop());
  }

  StepStore& store_;
  const OpenStep& open_;
  const std::span<const DamagedStep> damaged_;
  std::optional<Result<StoredStep>> hinted_;
  Result<void> opened_;  // What `open_` returned for the step that was checked last.
  LatestStored latest_;
  bool has_changed_ = false;  // A step was removed or replaced after the last listing.
};

}  // namespace

Result<void> CheckNoneIsNewer(StepStore& store, std::int64_t step) {
  if (step == kMaxStep) return {};
  const auto above = FindNames(store, step + 1);
  if (!above) return above.error();
  if (above->with_manifest.empty()) return {};
  const auto latest = FindLatest(store, {});
  if (!latest) return IsOfTheStep(latest.error()) ? Result<void>() : latest.error();  // None is whole.
  const std::int64_t newest = latest->stored.manifest.step;
  if (newest <= step) return {};
  return Error{ErrorCode::kInvalidArgument,
               "step " + std::to_string(step) + " of " + store.uri() + " is lower than step " + std::to_string(newest) +
                   ", which was saved before: rules and LoadLatest() take the highest number for the newest step. To "
                   "continue from an earlier step, save with CommitMode::kRewind, which removes the higher steps; or "
                   "remove them by `gcsflux checkpoint rm`, or use another prefix"};
}

bool IsUnusable(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kAborted || error.code == ErrorCode::kCorrupted;
}

std::optional<Error> WhyUnusable(const StepStore& steps, const CheckpointManifest& step,
                                 const ObjectReaderOptions& reader, const Error& error) {
  if (IsUnusable(error)) return error;
  if (error.code != ErrorCode::kUndecodable) return std::nullopt;
  for (const StepFile& file : step.files) {
    const auto opened = steps.OpenFile(file, reader);
    const auto verified = opened ? opened->VerifyWhole() : opened.error();
    if (!verified && verified.error().code == ErrorCode::kCorrupted) return verified.error();
  }
  return std::nullopt;
}

Result<LatestStored> FindLatest(StepStore& store, const OpenStep& open, std::span<const DamagedStep> damaged) {
  return Search(store, open, damaged).Run();
}

}  // namespace gcsflux::internal
