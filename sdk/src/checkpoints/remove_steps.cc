#include <algorithm>
#include <utility>

#include "base/process/no_time_limit.h"
#include "checkpoints/step_names.h"
#include "checkpoints/step_store.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kRetentionReason = "retentionPolicyNotMet";

// A manifest that cannot be read may name any file.
const Step* FindUnreadable(const std::vector<Step>& steps) {
  const auto is_unreadable = [](const Step& step) { return step.generation != 0 && !IsReadable(step); };
  const auto found = std::find_if(steps.begin(), steps.end(), is_unreadable);
  return found == steps.end() ? nullptr : &*found;
}

Error FilesStay(const StepStore& store, const Step& unreadable) {
  return {ErrorCode::kUndecodable,
          "no file of " + store.uri() + " is removed while the manifest of step " + std::to_string(unreadable.number) +
              " cannot be read, since it may name them; remove that step first: " + unreadable.problem->message};
}

bool IsNamed(const std::vector<Step>& steps, const std::string& name) {
  const auto names_it = [&](const Step& step) {
    return std::any_of(step.files.begin(), step.files.end(), [&](const StepFile& file) { return file.name == name; });
  };
  return std::any_of(steps.begin(), steps.end(), names_it);
}

// The files that the step's manifest names. If it cannot be read, those in the step's folder that have a name of ours.
std::vector<std::pair<std::string, std::int64_t>> FilesOf(const Step& step, const FoundSteps& found) {
  std::vector<std::pair<std::string, std::int64_t>> files;
  for (const StepFile& file : step.files) files.emplace_back(file.name, file.generation);
  const auto folder = found.find(step.number);
  if (IsReadable(step) || folder == found.end()) return files;
  for (const auto& [name, object] : folder->second.files) files.emplace_back(name, object.generation);
  return files;
}

// Another process may have removed steps since the listing: it and this call must not each leave the other's.
Result<void> CheckAnotherStays(const StepStore& store, const std::vector<Step>& steps, std::int64_t number) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->problem || step->generation == 0 || step->number == number) continue;
    const auto generation = store.ManifestGeneration(step->number);
    if (!generation) return generation.error();
    if (*generation != 0) return {};
  }
  return Error{ErrorCode::kPreconditionFailed, "step " + std::to_string(number) + " of " + store.uri() +
                                                   " stays, because another process has removed all others"};
}

// Afterwards the step has no manifest in `listed`. Does not check that it is not the last one of the listing.
Result<void> RemoveListed(const StepStore& store, RunListing& listed, std::int64_t number, const KeepLimits& limits) {
  std::vector<Step>& steps = listed.steps;
  const auto place = std::find_if(steps.begin(), steps.end(), [&](const Step& one) { return one.number == number; });
  if (place == steps.end()) {
    return Error{ErrorCode::kNotFound, "there is no step " + std::to_string(number) + " in " + store.uri()};
  }
  if (listed.changed.contains(number)) {
    return Error{ErrorCode::kPreconditionFailed, "step " + std::to_string(number) + " of " + store.uri() +
                                                     " stays, because another process has saved it again meanwhile"};
  }
  // Without its manifest, a step that was read would exist no more, although its files stay.
  const Step* const unreadable = FindUnreadable(steps);
  if (unreadable != nullptr && IsReadable(*place)) return FilesStay(store, *unreadable);
  // Deletes the manifest first, because a step with a manifest and without files would be damaged.
  if (place->generation != 0) {
    if (!place->problem) {
      if (auto stays = CheckAnotherStays(store, steps, number); !stays) return stays;
    }
    if (limits.is_dry_run) return {};
    if (auto deleted = store.Delete(ManifestName(number), place->generation); !deleted) return deleted;
  }
  if (limits.is_dry_run) return {};
  const auto files = FilesOf(*place, listed.found);
  *place = Step{.number = number};
  if (const Step* const another = FindUnreadable(steps)) return FilesStay(store, *another);
  for (const auto& [name, generation] : files) {
    if (limits.spared.contains(name) || IsNamed(steps, name)) continue;
    if (auto deleted = store.Delete(name, generation); !deleted) return deleted;
  }
  return {};
}

bool IsLastWholeStep(const std::vector<Step>& steps, std::int64_t number) {
  const auto is_whole = [](const Step& step) { return !step.problem; };
  const auto only = std::find_if(steps.begin(), steps.end(), is_whole);
  return only != steps.end() && only->number == number && std::find_if(only + 1, steps.end(), is_whole) == steps.end();
}

// Objects in folders of steps that are not of this library.
std::uint64_t CountForeign(const FoundSteps& found, const std::set<std::string>& named) {
  std::uint64_t count = 0;
  for (const auto& [number, step] : found) {
    const auto is_foreign = [&](const std::string& name) { return !named.contains(name); };
    count += static_cast<std::uint64_t>(std::count_if(step.others.begin(), step.others.end(), is_foreign));
  }
  return count;
}

}  // namespace

std::set<std::string> NamedFiles(const std::vector<Step>& steps) {
  std::set<std::string> names;
  for (const Step& step : steps) {
    for (const StepFile& file : step.files) names.insert(file.name);
  }
  return names;
}

Result<void> RemoveStep(StepStore& store, std::int64_t step, const KeepLimits& limits,
                        const std::function<Result<void>()>& may_remove) {
  auto listed = ListRun(store);
  if (!listed) return listed.error();
  if (may_remove) {
    if (auto may = may_remove(); !may) return may;
  }
  if (!IsLastWholeStep(listed->steps, step)) return RemoveListed(store, *listed, step, limits);
  return Error{ErrorCode::kPreconditionFailed, "step " + std::to_string(step) + " is the last whole step of " +
                                                   store.uri() +
                                                   " and stays; save another one first, or remove the prefix"};
}

Result<void> RemoveStepsAbove(StepStore& store, std::int64_t step, const std::set<std::string>& spared,
                              const std::function<Result<void>()>& may_remove) {
  auto listed = ListRun(store);
  if (!listed) return listed.error();
  if (auto may = may_remove(); !may) return may;
  for (const auto& [number, here] : listed->found) {
    if (number <= step || !here.manifest) continue;
    if (auto removed = RemoveListed(store, *listed, number, {.spared = spared}); !removed) return removed;
  }
  return {};
}

Result<RemovalReport> KeepListed(const StepStore& store, RunListing listed, const KeepRules& rules,
                                 const KeepLimits& limits) {
  if (rules.every && *rules.every < 1) {
    return Error{ErrorCode::kInvalidArgument, "KeepRules::every is at least 1, not " + std::to_string(*rules.every)};
  }
  std::vector<Step> whole = listed.steps;
  std::erase_if(whole, [](const Step& step) { return step.problem.has_value(); });
  const std::vector<std::int64_t> kept = StepsToKeep(whole, rules);
  const Step* const unreadable = FindUnreadable(listed.steps);
  const auto remove = [&](std::int64_t step) -> Result<void> {
    if (!limits.is_dry_run) return RemoveListed(store, listed, step, limits);
    return unreadable == nullptr ? Result<void>() : FilesStay(store, *unreadable);
  };
  RemovalReport report{.foreign = CountForeign(listed.found, NamedFiles(listed.steps))};
  for (const Step& step : whole) {
    if (step.number == limits.committed || std::binary_search(kept.begin(), kept.end(), step.number)) continue;
    const auto removed = remove(step.number);
    if (removed) {
      report.removed.push_back(step.number);
      continue;
    }
    report.not_removed.push_back({.number = step.number, .problem = removed.error()});
    const bool is_retained = removed.error().reason == kRetentionReason;
    if (removed.error().code == ErrorCode::kPermissionDenied && !is_retained) break;
    if (removed.error().code == ErrorCode::kCancelled) break;
  }
  return report;
}

Result<RemovalReport> CollectListed(const StepStore& store, const RunListing& listed, std::chrono::seconds min_age,
                                    bool is_dry_run, const std::set<std::string>& spared) {
  const FoundSteps& found = listed.found;
  const std::vector<Step>& steps = listed.steps;
  if (const Step* const unreadable = FindUnreadable(steps)) return FilesStay(store, *unreadable);
  // Ages use only the service's clock. The time of the newest object stands for now, which cannot be earlier.
  std::chrono::system_clock::time_point newest;
  for (const auto& [number, step] : found) {
    if (step.manifest) newest = std::max(newest, step.manifest->updated);
    for (const auto& [name, object] : step.files) newest = std::max(newest, object.updated);
  }
  const std::set<std::string> named = NamedFiles(steps);
  RemovalReport report{.foreign = CountForeign(found, named)};
  for (const auto& [number, step] : found) {
    for (const auto& [name, object] : step.files) {
      // A file whose time the listing leaves out counts as new.
      const bool has_time = object.updated != std::chrono::system_clock::time_point();
      // In microseconds, whose differences do not overflow.
      using std::chrono::microseconds;
      const auto age = has_time ? std::chrono::floor<microseconds>(newest.time_since_epoch()) -
                                      std::chrono::floor<microseconds>(object.updated.time_since_epoch())
                                : microseconds(0);
      const bool is_young = age < InNanoseconds(min_age);
      if (named.contains(name) || spared.contains(name)) continue;
      if (is_young) {
        ++report.young;
        continue;
      }
      const auto deleted = is_dry_run ? Result<void>() : store.Delete(name, object.generation);
      if (!deleted) return deleted.error();
      ++report.files;
      report.bytes += object.size;
    }
  }
  return report;
}

}  // namespace gcsflux::internal
