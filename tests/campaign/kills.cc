// Operations of other processes, killed at any place between two of their effects, again and again. What they leave is
// checked at the end of the phase, when there are no faults.
#include <filesystem>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "crash/crash_case.h"

namespace gcsflux::campaign {
namespace {

constexpr std::size_t kMostPlaces = 60;  // of an operation that is not resumed; what comes later completes it

void RunAndKill(Worker& worker, const crash::CrashCase& operation, const crash::Place& place) {
  for (std::size_t i = 1 + worker.chance().Below(3); i > 0; --i) {
    const auto end = crash::ActInChild(operation, place, 1 + static_cast<int>(worker.chance().Below(kMostPlaces)));
    if (end.is_broken) throw Violation(std::string(operation.name) + " in another process: " + end.errors);
    if (end.is_killed) ++worker.kills()[std::string(operation.name)];
    if (end.has_failed) worker.CountFailure();
    if (!end.is_killed && !end.has_failed) return worker.CountSuccess();
  }
}

void KillProcess(Worker& worker) {
  const crash::CrashCase& operation = worker.chance().OneOf(crash::CrashCases());
  const bool is_possible = operation.command == nullptr || crash::HasCommand();
  const auto number = std::to_string(worker.places().size());
  if (!is_possible || !worker.common().processes.Take()) return;
  crash::Place place{.client = worker.client(),
                     .endpoint = worker.common().options.endpoint,
                     .bucket = worker.common().bucket,
                     .prefix = worker.extra("killed-" + number),
                     .directory = worker.common().directory / ("killed-" + worker.prefix() + number)};
  std::filesystem::create_directories(place.directory);
  try {
    operation.prepare(place);
    worker.places().push_back({&operation, place});
    RunAndKill(worker, operation, place);
  } catch (...) {
    worker.common().processes.Return();
    throw;
  }
  worker.common().processes.Return();
}

}  // namespace

std::vector<Operation> KillOperations() { return {{"kill a process", 2, KillProcess}}; }

}  // namespace gcsflux::campaign
