// Steps of a training run: saved, replaced, kept by rules of the model's own, removed; after a failure old or new.
#include <algorithm>
#include <set>

#include "campaign/operations.h"
#include "campaign/run_model.h"
#include "campaign/worker.h"
#include "checkpoints/step_writer.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"

namespace gcsflux::campaign {
namespace {

using Steps = std::map<std::int64_t, SavedText>;

// Faults leave writes unknown, removals half done.
const MayFail kMayFail{
    .at_once = true,
    .with = {ErrorCode::kBadResponse, ErrorCode::kCorrupted, ErrorCode::kOutcomeUnknown, ErrorCode::kSessionLost,
             ErrorCode::kPreconditionFailed, ErrorCode::kUndecodable, ErrorCode::kAborted}};

CheckpointSteps StepsOf(Worker& worker) { return StepsOfRun(worker.client(), RunOf(worker)); }

// After a failure `old` or `tried` is there, of each step that differs; what is there becomes the model.
void Learn(Worker& worker, const Steps& tried) {
  const Steps found = ReadRun(worker.client(), RunOf(worker));
  std::set<std::int64_t> numbers;
  for (const auto& [number, step] : found) numbers.insert(number);
  for (const auto& [number, step] : worker.steps()) numbers.insert(number);
  for (const std::int64_t number : numbers) {
    const auto is_in = [&](const Steps& steps) {
      const auto one = found.find(number);
      const auto other = steps.find(number);
      if (one == found.end() || other == steps.end()) return one == found.end() && other == steps.end();
      return one->second == other->second;
    };
    if (!is_in(worker.steps()) && !is_in(tried)) {
      throw Violation("step " + std::to_string(number) + " of " + RunOf(worker) + " is neither old nor new");
    }
  }
  worker.steps() = found;
}

// `tried` is what a success has made.
template <class T>
void Conclude(Worker& worker, const Result<T>& result, const Steps& tried, const MayFail& may = kMayFail) {
  if (!worker.Check(result, RandomStop(), may)) return Learn(worker, tried);
  worker.steps() = tried;
  if (worker.chance().OneIn(3)) Learn(worker, tried);
}

std::optional<StepWriter> Start(Worker& worker) {
  auto writer = StepWriter::Start(internal::StoreOf(StepsOf(worker)), /*take_over=*/true);
  if (!worker.Check(writer, RandomStop(), kMayFail)) return std::nullopt;
  return *std::move(writer);
}

Result<StoredStep> Write(StepWriter& writer, std::int64_t number, const SavedText& step, CommitMode mode) {
  CheckpointManifest manifest{.step = number};
  auto file = writer.WriteFile(number, "state.pt", [&](const ByteSink& sink) { return sink(AsBytes(step.text)); });
  if (!file) return file.error();
  manifest.files = {*file};
  if (step.loss) manifest.metrics["loss"] = *step.loss;
  return writer.Commit(std::move(manifest), mode);
}

void Save(Worker& worker) {
  Steps tried = worker.steps();
  CommitMode mode = CommitMode::kCreate;
  std::int64_t number =
      tried.empty() ? 1 : tried.rbegin()->first + 1 + static_cast<std::int64_t>(worker.chance().Below(3));
  if (!tried.empty() && worker.chance().OneIn(4)) {
    mode = worker.chance().OneIn(2) ? CommitMode::kReplace : CommitMode::kRewind;
    number = mode == CommitMode::kReplace
                 ? tried.rbegin()->first
                 : std::next(tried.begin(), static_cast<std::ptrdiff_t>(worker.chance().Below(tried.size())))->first;
  }
  SavedText step{.text = worker.NewVersion(20'000).content.Render()};
  if (!worker.chance().OneIn(4)) step.loss = static_cast<double>(worker.chance().Below(10));
  auto writer = Start(worker);
  if (!writer) return;
  const auto saved = Write(*writer, number, step, mode);
  tried[number] = step;
  if (mode == CommitMode::kRewind) tried.erase(tried.upper_bound(number), tried.end());
  Conclude(worker, saved, tried);
}

KeepRules RandomRules(Worker& worker) {
  KeepRules rules;
  if (worker.chance().OneIn(2)) rules.last = 1 + worker.chance().Below(3);
  if (worker.chance().OneIn(2)) {
    rules.best = 1 + worker.chance().Below(2);
    rules.metric = "loss";
    rules.is_highest_best = worker.chance().OneIn(2);
  }
  if (worker.chance().OneIn(3)) rules.every = 2 + static_cast<std::int64_t>(worker.chance().Below(3));
  return rules;
}

void Keep(Worker& worker) {
  const KeepRules rules = RandomRules(worker);
  const Steps kept = KeptSteps(worker.steps(), rules);
  auto writer = Start(worker);
  if (!writer) return;
  const auto report = writer->Keep(rules);
  if (report.ok() && !report->not_removed.empty()) {
    worker.CountFailure();
    return Learn(worker, kept);
  }
  Conclude(worker, report, kept);
}

void Remove(Worker& worker) {
  if (worker.steps().size() < 2) return Save(worker);
  Steps tried = worker.steps();
  const auto chosen = std::next(tried.begin(), static_cast<std::ptrdiff_t>(worker.chance().Below(tried.size())));
  const std::int64_t number = chosen->first;
  tried.erase(chosen);
  auto writer = Start(worker);
  if (!writer) return;
  MayFail may = kMayFail;
  may.with.push_back(ErrorCode::kNotFound);  // if the answer to its own deletion was lost
  Conclude(worker, writer->Remove(number), tried, may);
}

void LoadLatest(Worker& worker) {
  const auto latest = StepsOf(worker).Latest();
  MayFail may = kMayFail;
  if (worker.steps().empty()) may.with.push_back(ErrorCode::kNotFound);
  if (!worker.Check(latest, RandomStop(), may)) return;
  if (worker.steps().empty() || latest->number != worker.steps().rbegin()->first) {
    throw Violation("step " + std::to_string(latest->number) + " of " + RunOf(worker) + " is not the newest one");
  }
}

}  // namespace

std::vector<Operation> RunOperations() {
  return {{"save a step", 4, Save},
          {"keep steps by rules", 2, Keep},
          {"remove a step", 1, Remove},
          {"find the newest step", 2, LoadLatest}};
}

}  // namespace gcsflux::campaign
