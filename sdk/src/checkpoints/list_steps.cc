#include <algorithm>

#include "checkpoints/step_names.h"
#include "checkpoints/step_store.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::internal {
namespace {

constexpr int kReadsAtOnce = 16;
constexpr int kListingsOfARun = 10;  // Another process may remove listed steps meanwhile.

// If a step was committed during the listing, the listing may show the manifest without the files. Then the files are
// requested.
std::optional<Error> WhatIsMissing(const StepStore& store, const Step& step, const FoundSteps& found) {
  for (const StepFile& file : step.files) {
    const auto folder = found.find(*StepOfFile(file.name));
    if (folder != found.end()) {
      const auto object = folder->second.files.find(file.name);
      const bool is_there = object != folder->second.files.end() && object->second.generation == file.generation;
      if (is_there && object->second.size == file.size && object->second.crc32c == file.crc32c) continue;
    }
    if (auto checked = store.CheckFile(step.number, file); !checked) return checked.error();
  }
  return std::nullopt;
}

Error Unfinished(const StepStore& store, std::int64_t step) {
  return {ErrorCode::kNotFound, "step " + std::to_string(step) + " of " + store.uri() +
                                    " has files and no manifest: its save or its removal was not finished"};
}

Step ListOne(StepStore& store, const FoundSteps& found, std::int64_t number) {
  const FoundStep& here = found.at(number);
  Step listed{.number = number};
  for (const auto& [name, object] : here.files) listed.bytes += object.size;
  if (!here.manifest) {
    listed.problem = Unfinished(store, number);
    return listed;
  }
  listed.generation = here.manifest->generation;
  auto known = store.KnownStep(number, here.manifest->generation);
  if (!known) {
    listed.problem = known.error();
    return listed;
  }
  known->problem = WhatIsMissing(store, *known, found);
  return *std::move(known);
}

// A removed step may have left files that later steps name. They are not an unfinished step.
void LeaveOutShared(const FoundSteps& found, std::vector<Step>& steps) {
  const std::set<std::string> named = NamedFiles(steps);
  for (Step& step : steps) {
    if (step.generation != 0) continue;
    step.bytes = 0;
    for (const auto& [name, object] : found.at(step.number).files) step.bytes += named.contains(name) ? 0 : object.size;
  }
  std::erase_if(steps, [&](const Step& step) {
    const auto& files = found.at(step.number).files;
    const auto is_named = [&](const auto& file) { return named.contains(file.first); };
    return step.generation == 0 && std::all_of(files.begin(), files.end(), is_named);
  });
}

// Its manifest is gone. Not an unreadable one, which may name files that still exist.
bool IsGone(const Step& step) {
  return step.generation != 0 && !IsReadable(step) && step.problem->code == ErrorCode::kNotFound;
}

Result<std::vector<Step>> ListSteps(StepStore& store, const FoundSteps& found) {
  std::vector<std::int64_t> numbers;
  for (const auto& [step, here] : found) numbers.push_back(step);
  std::vector<Step> steps(numbers.size());
  const auto list = [&](std::size_t index, const std::stop_token&) -> Result<void> {
    steps[index] = ListOne(store, found, numbers[index]);
    if (!steps[index].problem || IsOfTheStep(*steps[index].problem)) return {};
    return *steps[index].problem;
  };
  if (auto listed = RunOnThreads(store.client(), numbers.size(), kReadsAtOnce, list, store.stop()); !listed)
    return listed.error();
  store.RememberOnly(found);
  LeaveOutShared(found, steps);
  return steps;
}

}  // namespace

Result<RunListing> ListRun(StepStore& store) {
  std::set<std::int64_t> changed;
  for (int listings = 1;; ++listings) {
    auto found = store.Find();
    if (!found) return found.error();
    auto steps = ListSteps(store, *found);
    if (!steps) return steps.error();
    if (std::none_of(steps->begin(), steps->end(), IsGone) || listings == kListingsOfARun) {
      return RunListing{*std::move(found), *std::move(steps), std::move(changed)};
    }
    for (const Step& step : *steps) {
      if (IsGone(step)) changed.insert(step.number);
    }
  }
}

bool IsOfTheStep(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kUndecodable ||
         error.code == ErrorCode::kAborted || error.code == ErrorCode::kCorrupted;
}

}  // namespace gcsflux::internal
