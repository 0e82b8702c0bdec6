// Random operations of threads and of processes that are killed, under every kind of fault, cancellation and
// throttling, for any time: no byte may be lost, mixed or invented, and no memory may leak. A phase that fails can be
// repeated and shrunk.
#include <gflags/gflags.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>

#include "campaign/campaign.h"
#include "campaign/report_json.h"
#include "campaign/shrink_case.h"
#include "crash/crash_case.h"
#include "gcsflux/flags.h"
#include "support/child_program.h"
#include "support/test_directory.h"

DEFINE_int32(seconds, 20, "How long it runs. Raise it by hand: what is rare needs minutes.");
DEFINE_uint64(seed, 1,
              "Decides operations and faults. Change it from run to run; give the one that failed to see it again.");
DEFINE_int32(threads, 8, "Threads that call the client at once. Raise it to find races, lower it to read a journal.");
DEFINE_int32(processes, 2, "Most other processes at once, which are killed. 0 for none.");
DEFINE_string(plan, "",
              "A file of a plan of faults (docs/emulator/faults.md), in place of the campaign's own. Set it to look at "
              "some faults, or at none: {\"rules\": []}.");
DEFINE_string(journal, "",
              "The file that has the phase that runs; removed if all is well. By default campaign-SEED.case.");
DEFINE_string(report, "", "A JSON file for what happened, for scripts/proofs.");
DEFINE_string(replay, "", "A journal whose steps are made again, one after the other, then on threads.");
DEFINE_string(shrink, "", "A journal that fails: writes the fewest steps and rules that still fail to FILE.shrunk.");
DEFINE_int32(tries, 3, "Of --replay and --shrink on threads: a race fails now and then. Raise it if a race is rare.");

namespace gcsflux::campaign {
namespace {

// Sanitizers keep memory of their own, and LeakSanitizer reports more than a sum.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;
#else
constexpr bool kCountsMemory = true;
#endif
constexpr std::size_t kMostGrowth = 2 << 20;
// An idle connection takes 30 KB on both sides, and chance decides how many a phase leaves: less than the growth that
// the check detects. Sanitizers see a thousand.
constexpr int kMostInFlight = kCountsMemory ? 64 : 1'000;

void Print(std::ostream& out, const Report& report) {
  out << std::left << std::setw(28) << "operation" << std::right << std::setw(8) << "done" << std::setw(10)
      << "cancelled" << std::setw(8) << "failed"
      << "\n";
  for (const auto& [name, tally] : report.operations) {
    out << std::left << std::setw(28) << name << std::right << std::setw(8) << tally.done << std::setw(10)
        << tally.cancelled << std::setw(8) << tally.failed << "\n";
  }
  out << "faults:";
  for (const auto& [type, count] : report.fired) out << " " << type << " " << count;
  const Counters& client = report.client;
  out << "\nrequests " << client.requests << ", retries " << client.retries << ", throttled " << client.throttled
      << ", stalls " << client.stalls << ", hedges " << client.hedges << " (won " << client.hedges_won
      << "), sessions restarted " << client.sessions_restarted << ", tokens " << client.token_refreshes
      << ", refused by quotas " << report.refused << ", composites " << report.composites << "\nobjects verified "
      << report.verified << "\nbytes in use:";
  for (const std::size_t bytes : report.bytes_in_use) out << " " << bytes;
  out << "\nkilled processes:";
  for (const auto& [name, kills] : report.kills) out << " " << name << " " << kills << ";";
  out << "\n";
}

// The first phase fills caches: idle connections, gates, stacks.
std::string FindGrowth(const Report& report) {
  const std::size_t before = report.bytes_in_use.at(1);
  const std::size_t after = report.bytes_in_use.back();
  if (!kCountsMemory || after <= before + kMostGrowth) return {};
  return "memory in use grew by " + std::to_string(after - before) + " bytes";
}

WorldOptions OptionsOfWorld() {
  return {.threads = FLAGS_threads, .max_in_flight = kMostInFlight, .processes = FLAGS_processes};
}

int Run() {
  const std::string journal =
      FLAGS_journal.empty() ? "campaign-" + std::to_string(FLAGS_seed) + ".case" : FLAGS_journal;
  const Report report = RunCampaign({.duration = std::chrono::seconds(FLAGS_seconds),
                                     .seed = FLAGS_seed,
                                     .world = OptionsOfWorld(),
                                     .plan = FLAGS_plan,
                                     .journal = journal});
  Print(std::cout, report);
  if (!FLAGS_report.empty()) {
    std::ofstream(FLAGS_report) << ReportAsJson(report, {.seed = FLAGS_seed, .seconds = FLAGS_seconds});
  }
  std::string complaint = report.violation;
  if (complaint.empty() && FLAGS_plan.empty()) complaint = FindMissing(report);
  if (complaint.empty()) complaint = FindGrowth(report);
  if (complaint.empty()) {
    std::filesystem::remove(journal);
    return 0;
  }
  std::cerr << "campaign: --seed=" << FLAGS_seed << " --threads=" << FLAGS_threads << ": " << complaint
            << "\nrepeat the phase: campaign --replay=" << journal
            << "\nshrink it:        campaign --shrink=" << journal << "\n";
  return 1;
}

Case ReadCase(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return ParseCase(std::string(std::istreambuf_iterator<char>(file), {}));
}

volatile sig_atomic_t is_interrupted = 0;
bool IsInterrupted() { return is_interrupted != 0; }

// One after the other; if that passes, on threads.
std::string Fail(const Case& c) {
  std::string violation = Replay(c, OptionsOfWorld(), /*is_concurrent=*/false, IsInterrupted);
  for (int i = 0; i < FLAGS_tries && violation.empty() && !IsInterrupted(); ++i) {
    violation = Replay(c, OptionsOfWorld(), /*is_concurrent=*/true, IsInterrupted);
  }
  return violation;
}

int RunReplay() {
  const Case c = ReadCase(FLAGS_replay);
  const std::string violation = Fail(c);
  std::cout << c.steps.size() << " steps, " << c.rules.size()
            << " rules: " << (violation.empty() ? "all promises are kept" : violation) << "\n";
  return violation.empty() ? 0 : 1;
}

// In a process of its own, which may crash.
bool FailsInChild(const Case& c, int tries) {
  const testing::TestDirectory directory;
  const std::string path = directory.Write("some.case", FormatCase(c));
  testing::ChildProgram replay("/proc/self/exe", {"--replay=" + path, "--tries=" + std::to_string(tries)});
  static_cast<void>(replay.ReadOutput());
  const bool has_failed = replay.Wait() != 0 && !IsInterrupted();
  std::cerr << c.steps.size() << " steps, " << c.rules.size() << " rules: " << (has_failed ? "fails" : "passes")
            << "\n";
  return has_failed;
}

int RunShrink() {
  const Case c = ReadCase(FLAGS_shrink);
  ::signal(SIGINT, [](int) { is_interrupted = 1; });
  const int tries = FailsInChild(c, 0) ? 0 : FLAGS_tries;  // if it fails one after the other, it needs no threads
  const auto fails = [&](const Case& smaller) { return FailsInChild(smaller, tries); };
  if (tries > 0 && !fails(c)) {
    std::cerr << "campaign: " << FLAGS_shrink << (IsInterrupted() ? ": interrupted" : " does not fail") << "\n";
    return 1;
  }
  const Case shrunk = ShrinkCase(c, fails, IsInterrupted);
  const std::string path = FLAGS_shrink + ".shrunk";
  std::ofstream(path) << FormatCase(shrunk);
  std::cout << (IsInterrupted() ? "interrupted; the best so far, " : "") << shrunk.steps.size() << " steps and "
            << shrunk.rules.size() << " rules: campaign --replay=" << path << "\n";
  return 0;
}

// The allocator's caches of threads count as in use, and there are a thousand threads: so the caches are turned off.
void RunWithoutThreadCaches(char** argv) {
  constexpr auto kVariable = "GLIBC_TUNABLES";
  if (std::getenv(kVariable) != nullptr) return;
  ::setenv(kVariable, "glibc.malloc.tcache_count=0", 1);
  ::execv("/proc/self/exe", argv);  // If it fails, the campaign runs with them.
}

}  // namespace
}  // namespace gcsflux::campaign

int main(int argc, char** argv) {
  using namespace gcsflux;
  if (const auto status = crash::ActAsChild(argc, argv)) return *status;
  campaign::RunWithoutThreadCaches(argv);
  const auto rest = ParseFlags(argc, argv);
  if (!rest || !rest->empty() || FLAGS_seconds < 1 || FLAGS_threads < 1 || FLAGS_processes < 0) {
    std::cerr << "campaign: "
              << (rest ? "--seconds and --threads must be 1 at least, and nothing else stands there"
                       : rest.error().message)
              << "\n";
    return 2;
  }
  if (HelpRequested()) {
    std::cout << "campaign [flags]: random operations under random faults; ends with 1 if a promise is broken\n\n"
              << FlagsHelp(__FILE__);
    return 0;
  }
  try {
    if (!FLAGS_replay.empty()) return campaign::RunReplay();
    return FLAGS_shrink.empty() ? campaign::Run() : campaign::RunShrink();
  } catch (const std::exception& error) {
    std::cerr << "campaign: " << error.what() << "\n";
    return 2;
  }
}
