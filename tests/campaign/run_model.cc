#include "campaign/run_model.h"

#include <algorithm>
#include <set>
#include <vector>

#include "checkpoints/step_store.h"
#include "gcsflux/listing.h"

namespace gcsflux::campaign {
namespace {

using Steps = std::map<std::int64_t, SavedText>;

Result<SavedText> ReadStep(internal::StepStore& store, const gcsflux::Step& step) {
  SavedText saved;
  const auto loss = step.metrics.find("loss");
  if (loss != step.metrics.end()) saved.loss = loss->second;
  if (step.files.size() != 1) throw Violation(store.uri() + " has a step of another number of files");
  auto reader = store.OpenFile(step.files.front());
  if (!reader) return reader.error();
  saved.text.resize(reader->size());
  if (auto read = reader->ReadAt(0, std::as_writable_bytes(std::span(saved.text))); !read) return read.error();
  return saved;
}

// The best first; of two equal ones the newer.
std::vector<std::int64_t> ByLoss(const Steps& steps, bool is_highest_best) {
  std::vector<std::int64_t> ranked;
  for (const auto& [number, step] : steps) {
    if (step.loss) ranked.push_back(number);
  }
  std::ranges::sort(ranked, [&](std::int64_t one, std::int64_t other) {
    const double a = *steps.at(one).loss;
    const double b = *steps.at(other).loss;
    if (a != b) return is_highest_best ? a > b : a < b;
    return one > other;
  });
  return ranked;
}

}  // namespace

std::string RunOf(const Worker& worker) {
  const std::string prefix = worker.extra("run");
  return ToUri({worker.common().bucket, prefix.substr(0, prefix.size() - 1)});
}

CheckpointSteps StepsOfRun(const Client& client, const std::string& uri) {
  return crash::Must(CheckpointSteps::Open(client, uri));
}

Steps ReadRun(const Client& client, const std::string& uri) {
  const CheckpointSteps steps = StepsOfRun(client, uri);
  return crash::Surely([&]() -> Result<Steps> {
    const auto listed = steps.List();
    if (!listed) return listed.error();
    Steps found;
    for (const auto& step : *listed) {
      if (step.problem && step.generation != 0) return *step.problem;
      if (step.problem) continue;
      auto saved = ReadStep(*internal::StoreOf(steps), step);
      if (!saved) return saved.error();
      found[step.number] = *std::move(saved);
    }
    return found;
  });
}

Steps KeptSteps(const Steps& steps, const KeepRules& rules) {
  if (steps.empty() || (!rules.last && !rules.best && !rules.every)) return steps;
  std::set<std::int64_t> kept = {steps.rbegin()->first};
  if (rules.last) {
    std::size_t left = *rules.last;
    for (auto step = steps.rbegin(); step != steps.rend() && left > 0; ++step, --left) kept.insert(step->first);
  }
  if (rules.best) {
    const auto ranked = ByLoss(steps, rules.is_highest_best);
    if (ranked.empty()) return steps;
    kept.insert(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(std::min(*rules.best, ranked.size())));
  }
  Steps left;
  for (const auto& [number, step] : steps) {
    if (kept.contains(number) || (rules.every && number % *rules.every == 0)) left[number] = step;
  }
  return left;
}

void CheckRun(const Client& client, const Worker& worker, const Steps& steps) {
  const std::string uri = RunOf(worker);
  const CheckpointSteps run = StepsOfRun(client, uri);
  crash::Surely([&] { return run.CollectGarbage(std::chrono::seconds(0)); });
  if (ReadRun(client, uri) != steps) throw Violation(uri + " has other steps than it should have");
  const auto left = crash::Surely([&] { return run.CollectGarbage(std::chrono::seconds(0)); });
  const auto listed = crash::Surely([&] { return ListPrefix(client, {worker.common().bucket, worker.extra("run")}); });
  const std::size_t most = 2 + 2 * steps.size();  // the writer's mark, the hint; a manifest and a file for each
  if (left.files > 0 || listed.objects.size() > most) throw Violation(uri + ": the garbage collection leaves files");
}

}  // namespace gcsflux::campaign
