// Random operations from many threads under every kind of fault, cancellation and throttling, for any time: no byte may
// be lost, mixed or invented, and no memory may leak.
#include <gflags/gflags.h>
#include <unistd.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "gcsflux/flags.h"
#include "soak/soak.h"

DEFINE_int32(seconds, 20, "How long it runs. Raise it by hand: what is rare needs minutes.");
DEFINE_uint64(seed, 1,
              "Decides operations and faults. Change it from run to run; give the one that failed to see it again.");
DEFINE_int32(threads, 8, "Threads that call the client at once. Raise it to find races, lower it to read a journal.");

namespace gcsflux::soak {
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
  out << "\n";
}

// The first phase fills caches: idle connections, gates, stacks.
std::string FindGrowth(const Report& report) {
  const std::size_t before = report.bytes_in_use.at(1);
  const std::size_t after = report.bytes_in_use.back();
  if (!kCountsMemory || after <= before + kMostGrowth) return {};
  return "memory in use grew by " + std::to_string(after - before) + " bytes";
}

int Run() {
  const Report report = RunSoak({.duration = std::chrono::seconds(FLAGS_seconds),
                                 .seed = FLAGS_seed,
                                 .threads = FLAGS_threads,
                                 .max_in_flight = kMostInFlight});
  Print(std::cout, report);
  std::string complaint = report.violation;
  if (complaint.empty()) complaint = FindMissing(report);
  if (complaint.empty()) complaint = FindGrowth(report);
  if (complaint.empty()) return 0;
  std::cerr << "soak: --seed=" << FLAGS_seed << " --threads=" << FLAGS_threads << ": " << complaint << "\n";
  return 1;
}

// The allocator's caches of threads count as in use, and there are a thousand threads: so the caches are turned off.
void RunWithoutThreadCaches(char** argv) {
  constexpr auto kVariable = "GLIBC_TUNABLES";
  if (std::getenv(kVariable) != nullptr) return;
  ::setenv(kVariable, "glibc.malloc.tcache_count=0", 1);
  ::execv("/proc/self/exe", argv);  // If it fails, the soak runs with them.
}

}  // namespace
}  // namespace gcsflux::soak

int main(int argc, char** argv) {
  using namespace gcsflux;
  soak::RunWithoutThreadCaches(argv);
  const auto rest = ParseFlags(argc, argv);
  if (!rest || !rest->empty() || FLAGS_seconds < 1 || FLAGS_threads < 1) {
    std::cerr << "soak: "
              << (rest ? "--seconds and --threads must be 1 at least, and nothing else stands there"
                       : rest.error().message)
              << "\n";
    return 2;
  }
  if (HelpRequested()) {
    std::cout << "soak [flags]: random operations under random faults; ends with 1 where a byte or memory is lost\n\n"
              << FlagsHelp(__FILE__);
    return 0;
  }
  return soak::Run();
}
