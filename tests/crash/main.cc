// Kills operations at each place between two of their effects, one process for each place, and checks what is left.
#include <gflags/gflags.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <thread>

#include "crash/crash_case.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/flags.h"
#include "support/test_directory.h"

DEFINE_string(case, "", "Only the case of this name.");
DEFINE_int32(place, 0, "Only this place of each case, from 1. Give the one that failed.");
DEFINE_int32(every, 1, "Only each place of so many. Raise it if time is short.");
DEFINE_string(report, "", "A JSON file for the results.");

namespace gcsflux::crash {
namespace {

constexpr auto kBucket = "crash";

struct Outcome {
  int places = 0;
  int killed = 0;
  int ended = 0;  // before they reached the place: threads take another order each time
  std::vector<std::string> failures = {};
};

class Crashes {
 public:
  Outcome Run(const CrashCase& operation) {
    Outcome outcome;
    try {
      outcome.places = CountPlaces(operation);
    } catch (const std::exception& failure) {
      outcome.failures.push_back(std::string(failure.what()) + " (not killed)");
    }
    const int first = FLAGS_place > 0 ? FLAGS_place : 1;
    const int last = FLAGS_place > 0 ? FLAGS_place : outcome.places;
    for (int place = first; place <= last; place += FLAGS_every) {
      try {
        ++(Kill(operation, place) ? outcome.killed : outcome.ended);
      } catch (const std::exception& failure) {
        outcome.failures.push_back(std::string(failure.what()) + " (--case=\"" + std::string(operation.name) +
                                   "\" --place=" + std::to_string(place) + ")");
      }
    }
    return outcome;
  }

 private:
  [[nodiscard]] Place Prepare(const CrashCase& operation, const testing::TestDirectory& directory) {
    emulator_.Reset();
    Must(client_.InsertBucket(kBucket));
    Place place{.client = client_,
                .endpoint = emulator_.endpoint(),
                .bucket = kBucket,
                .prefix = "place/",
                .directory = directory.path()};
    operation.prepare(place);
    return place;
  }

  // Those of a process that is not killed; what it does is checked too.
  int CountPlaces(const CrashCase& operation) {
    const testing::TestDirectory directory;
    const testing::TestDirectory beside;
    const std::string effects = beside.path() / "effects";
    const Place place = Prepare(operation, directory);
    const ChildEnd end = ActInChild(operation, place, 0, effects);
    Expect(!end.has_failed && !end.is_broken, "it fails: " + end.errors);
    operation.check(place);
    ExpectNothingLeft(client_, kBucket);
    std::ifstream file(effects);
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  bool Kill(const CrashCase& operation, int die_at) {
    const testing::TestDirectory directory;
    const Place place = Prepare(operation, directory);
    const ChildEnd end = ActInChild(operation, place, die_at);
    Expect(!end.has_failed && !end.is_broken, "it fails: " + end.errors);
    AwaitQuiet();
    operation.check(place);
    ExpectNothingLeft(client_, kBucket);
    return end.is_killed;
  }

  // The service may still carry out the child's last requests.
  void AwaitQuiet() const {
    const auto is_open = [](const emulator::RequestRecord& record) { return !record.is_finished; };
    while (std::ranges::any_of(emulator_.journal(), is_open)) std::this_thread::yield();
  }

  emulator::Emulator emulator_;
  const Client client_ = MakeClient(emulator_.endpoint());
};

void WriteReport(const std::vector<std::pair<std::string, Outcome>>& outcomes) {
  std::ofstream out(FLAGS_report);
  out << "{\"kind\": \"crash points\", \"cases\": [";
  const char* comma = "";
  for (const auto& [name, outcome] : outcomes) {
    out << comma << "\n  {\"case\": \"" << name << "\", \"places\": " << outcome.places
        << ", \"killed\": " << outcome.killed << ", \"ended\": " << outcome.ended
        << ", \"broken\": " << outcome.failures.size() << "}";
    comma = ",";
  }
  out << "\n]}\n";
}

int Run() {
  Crashes crashes;
  std::vector<std::pair<std::string, Outcome>> outcomes;
  bool is_kept = true;
  for (const CrashCase& operation : CrashCases()) {
    if (!FLAGS_case.empty() && operation.name != FLAGS_case) continue;
    if (operation.command != nullptr && !HasCommand()) continue;
    Outcome outcome = crashes.Run(operation);
    std::cout << std::left << std::setw(32) << operation.name << std::right << std::setw(5) << outcome.places
              << " places, " << std::setw(4) << outcome.killed << " killed, " << outcome.ended << " ended before\n"
              << std::flush;
    for (const std::string& failure : outcome.failures) std::cout << "  BROKEN: " << failure << "\n";
    is_kept = is_kept && outcome.failures.empty() && (outcome.killed > 0 || FLAGS_place > 0);
    outcomes.emplace_back(operation.name, std::move(outcome));
  }
  if (!FLAGS_report.empty()) WriteReport(outcomes);
  return is_kept && !outcomes.empty() ? 0 : 1;
}

}  // namespace
}  // namespace gcsflux::crash

int main(int argc, char** argv) {
  using namespace gcsflux;
  if (const auto status = crash::ActAsChild(argc, argv)) return *status;
  const auto rest = ParseFlags(argc, argv);
  if (!rest || !rest->empty() || FLAGS_every < 1) {
    std::cerr << "crash_points: " << (rest ? "only flags stand there, and --every is at least 1" : rest.error().message)
              << "\n";
    return 2;
  }
  if (HelpRequested()) {
    std::cout << "crash_points [flags]: kills operations between their effects; ends with 1 if a promise is broken\n\n"
              << FlagsHelp(__FILE__);
    return 0;
  }
  return crash::Run();
}
