// How well do the policies for throttled requests use a quota that several processes share?
//
// Each cell runs a policy in a scenario: processes with threads that read one small object without pause, against an
// emulator whose quota is constant, dips, steps, or limits the bytes sent. Writes a table, and into --out_dir
// retry_policy.csv (a line per cell) and retry_policy_seconds.csv, from which scripts/plot_retry_policy draws a figure.
#include <gflags/gflags.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "gcsflux/flags.h"
#include "retry_policy/cell.h"
#include "retry_policy/policies.h"
#include "retry_policy/report.h"
#include "retry_policy/worker.h"

DEFINE_double(seconds, 60, "How long each cell runs. Lower it for a first look; a dip is a third of it.");
DEFINE_int32(processes, 4, "Processes that share the quota. Raise it to see whether they still share it evenly.");
DEFINE_int32(threads, 64, "Threads of each process, each with one request at a time.");
DEFINE_double(quota, 1000, "Reads per second that the service takes. Lower it on a slow machine.");
DEFINE_string(policies, "gate,full_jitter,multiplier,none",
              "Policies to compare (policies.h), separated by commas. The clients' flags change them.");
DEFINE_string(
    scenarios, "steady,dip,step,egress,small,open",
    "What happens to the quota: steady; dip (a fifth of it for a third of the time); step (doubled, then a "
    "quarter of that); egress (a cap on bytes for as many reads); small (a fifth, for one process); open (none).");
DEFINE_string(first_byte_ms, "lognormal(50,80)",
              "What the service takes to answer a read, as the emulator's --read_first_byte_ms. 0 for none.");
DEFINE_int32(object_bytes, 16384, "Size of the object that is read.");
DEFINE_string(out_dir, ".", "Where the files go.");
DEFINE_int32(worker_threads, 0, "The program's own: makes it one of the processes that read. Leave it at 0.");

namespace gcsflux::bench {
namespace {

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

int Fail(const std::string& message) {
  std::cerr << "retry_policy: " << message << "\n";
  return 2;
}

int Work() {
  const Result<ClientOptions> options = ClientOptionsFromFlags();
  if (!options) return Fail(options.error().message);
  const Result<void> done = RunWorker(*options, FLAGS_worker_threads);
  return done ? 0 : Fail(done.error().message);
}

bool AreFlagsInRange() {
  return FLAGS_seconds >= 1 && FLAGS_processes >= 1 && FLAGS_threads >= 1 && FLAGS_quota > 0 && FLAGS_object_bytes >= 1;
}

Result<std::vector<Policy>> FindPolicies(const std::vector<std::string>& names) {
  std::vector<Policy> policies;
  for (const std::string& name : names) {
    const Policy* const policy = FindPolicy(name);
    if (policy == nullptr) return Error{ErrorCode::kInvalidArgument, "there is no policy '" + name + "'"};
    policies.push_back(*policy);
  }
  if (const auto options = ClientOptionsFromFlags(); !options) return options.error();
  return policies;
}

bool WriteFiles(const std::vector<Cell>& cells) {
  const std::filesystem::path directory = FLAGS_out_dir;
  std::ofstream csv(directory / "retry_policy.csv");
  std::ofstream seconds_csv(directory / "retry_policy_seconds.csv");
  WriteCsv(csv, cells);
  WriteSecondsCsv(seconds_csv, cells);
  return csv.flush() && seconds_csv.flush();
}

int Compare(const std::vector<std::string>& flags) {
  if (!AreFlagsInRange()) {
    return Fail("--seconds, --processes, --threads and --object_bytes must be 1 at least, --quota above 0");
  }
  const auto policies = FindPolicies(Split(FLAGS_policies));
  const auto scenarios = FindScenarios(Split(FLAGS_scenarios),
                                       {.processes = FLAGS_processes, .threads = FLAGS_threads, .quota = FLAGS_quota});
  if (!scenarios) return Fail(scenarios.error().message);
  if (!policies) return Fail(policies.error().message);
  const CellOptions options{.seconds = FLAGS_seconds,
                            .first_byte_ms = FLAGS_first_byte_ms,
                            .object_bytes = static_cast<std::size_t>(FLAGS_object_bytes),
                            .worker_flags = flags};
  std::filesystem::create_directories(FLAGS_out_dir);
  std::vector<Cell> cells;
  WriteTableHead(std::cout);
  for (const Scenario& scenario : *scenarios) {
    for (const Policy& policy : *policies) {
      cells.push_back(RunCell(scenario, policy, options));
      WriteTableRow(std::cout, cells.back());
    }
  }
  return WriteFiles(cells) ? 0 : Fail("the files could not be written into '" + FLAGS_out_dir + "'");
}

}  // namespace
}  // namespace gcsflux::bench

int main(int argc, char** argv) {
  using namespace gcsflux;
  const auto rest = ParseFlags(argc, argv);
  if (!rest) return bench::Fail(rest.error().message);
  if (HelpRequested()) {
    std::cout << "retry_policy [flags]: compares what to do about throttled requests\n\n" << FlagsHelp(__FILE__);
    return 0;
  }
  if (!rest->empty()) return bench::Fail("what is '" + rest->front() + "'?");
  if (FLAGS_worker_threads > 0) return bench::Work();
  try {
    return bench::Compare({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "retry_policy: " << error.what() << "\n";
    return 1;
  }
}
