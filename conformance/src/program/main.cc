// gcsflux-conformance: checks a service against the contract in conformance/cases, or the SDK against retry scenarios.

#include <curl/curl.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/read_file.h"
#include "base/time_limits.h"
#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "program/options.h"
#include "program/standard_streams.h"
#include "read_cases/load_cases.h"
#include "retry_tests/load_retry_tests.h"
#include "run_cases/suite.h"

namespace gcsflux::conformance {
namespace {

constexpr int kAllPassed = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kLeftBehind = 3;

volatile std::sig_atomic_t interrupted = 0;

/// After the first SIGINT or SIGTERM, the case under way removes its bucket. The second one ends the program.
void CleanUpWhenInterrupted() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

// In one write, so that lines of several programs do not mix.
void Say(const std::string& what) { std::cerr << "gcsflux-conformance: " + what + "\n"; }

int WrongUsage(const std::string& what) {
  Say(what + "\nTry gcsflux-conformance --help");
  return kWrongUsage;
}

/// Eight random hex digits, so that two runs never use the same bucket.
std::string RunId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 8; ++i) id += "0123456789abcdef"[random() % 16];
  return id;
}

OrError<std::string> ReadAccessToken(const std::string& path) {
  if (path.empty()) return "";
  std::istringstream file(ReadFile(path).value_or(""));
  std::string token;
  if (!(file >> token)) return Failed("--access_token_file: " + path + " cannot be read or holds no token");
  return token;
}

OrError<std::vector<Check>> LoadChecks(const Options& options, const std::string& token) {
  if (!options.retry_tests.empty()) return LoadRetryTests(options.retry_tests, token);
  const auto cases = options.cases.empty() ? LoadEmbeddedCases() : LoadCases(options.cases);
  if (!cases) return Failed(cases.error());
  return ChecksOf(*cases);
}

OrError<std::vector<Check>> SelectedChecks(const Options& options, const std::string& token) {
  auto checks = LoadChecks(options, token);
  if (!checks) return checks;
  auto selected = Filtered(*std::move(checks), options.filter);
  if (selected.empty()) return Failed("--filter=" + options.filter + " matches no case; see --list");
  return selected;
}

/// Any answer of the service is enough here: the cases judge its content. For retry tests, the service must have their
/// API.
std::optional<std::string> WhyUnusable(Transport& transport, bool has_retry_tests) {
  const std::string target = has_retry_tests ? "/retry_tests" : "/storage/v1/b";
  const auto answer = transport.Send({.method = "GET", .target = target});
  if (!answer) {
    return "cannot reach the service: " + answer.error() + "; check --endpoint and that the service is running";
  }
  if (!has_retry_tests || answer->status == 200) return std::nullopt;
  return "GET " + target + " is " + std::to_string(answer->status) +
         ": the service has no Retry Test API; name an emulator by --endpoint, or none";
}

/// Ends the process if it has not ended by itself in time: a call of the SDK may wait for a service that never ends its
/// answer.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds limit)
      : thread_([this, limit] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, limit, [this] { return has_ended_; })) return;
          Say("the run does not end: its buckets may be left behind");
          std::_Exit(kFailed);
        }) {}
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;  // guards what follows
  bool has_ended_ = false;
  std::condition_variable ended_;
  std::thread thread_;
};

int StatusOf(const Tally& tally) {
  if (tally.failed != 0) return kFailed;
  return tally.left_behind == 0 ? kAllPassed : kLeftBehind;
}

int RunAgainst(const Options& options, const std::vector<Check>& checks, const std::string& token) {
  const Watchdog watchdog(options.timeout + 3 * options.case_timeout);
  TimeLimits limits(options.case_timeout, options.timeout);
  CurlTransport transport(options.endpoint, token, [&limits] { return limits.left(); });
  Tally tally;
  limits.BeginCase();
  if (const auto why = WhyUnusable(transport, !options.retry_tests.empty())) {
    Say(*why);
    tally.skipped = static_cast<int>(checks.size());
    std::cout << Summary(tally) << std::endl;
    return kFailed;
  }
  const Service service{
      .transport = transport,
      .endpoint = options.endpoint,
      .project = options.project,
      .has_access_token = !token.empty(),
      .sleep =
          [&limits](std::chrono::seconds wait) {
            std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(wait, limits.left()));
          },
      .connect =
          [&] { return std::make_unique<CurlTransport>(options.endpoint, token, [&limits] { return limits.left(); }); },
      .begin_case = [&limits] { limits.BeginCase(); },
      .begin_cleaning = [&limits] { limits.BeginCleaning(); }};
  bool is_cut_short = false;
  const SuiteRun run{.bucket_stem = options.bucket_prefix + "-" + RunId(), .secret = token, .is_interrupted = [&] {
                       return is_cut_short = interrupted != 0 || limits.is_run_over();
                     }};
  CleanUpWhenInterrupted();
  tally = RunSuite(checks, service, run, std::cout, std::cerr);
  if (interrupted != 0) Say("interrupted");
  if (is_cut_short && interrupted == 0) Say("the run's time is over: raise --timeout_s");
  std::cout << Summary(tally) << std::endl;
  return is_cut_short || interrupted != 0 ? kFailed : StatusOf(tally);
}

int RunAgainstEmulator(Options options, const std::vector<Check>& checks, const std::string& token) {
  try {
    const emulator::Emulator emulator;
    options.endpoint = emulator.endpoint();
    return RunAgainst(options, checks, token);
  } catch (const std::system_error& error) {
    Say(std::string("cannot start the embedded emulator: ") + error.what());
    return kFailed;
  }
}

int Main(int argc, const char* const* argv) {
  const auto options = ParseOptions(argc, argv);
  if (!options) return WrongUsage(options.error());
  if (options->help) {
    std::cout << Usage();
    return kAllPassed;
  }
  if (options->version) {
    std::cout << "gcsflux-conformance " GCSFLUX_VERSION "\n";
    return kAllPassed;
  }
  const auto token = ReadAccessToken(options->access_token_file);
  if (!token) return WrongUsage(token.error());
  const auto checks = SelectedChecks(*options, *token);
  if (!checks) return WrongUsage(checks.error());
  if (options->list) {
    for (const Check& each : *checks) std::cout << each.name << ": " << each.claim << "\n";
    return kAllPassed;
  }
  return options->endpoint.empty() ? RunAgainstEmulator(*options, *checks, *token)
                                   : RunAgainst(*options, *checks, *token);
}

}  // namespace
}  // namespace gcsflux::conformance

int main(int argc, char** argv) {
  gcsflux::conformance::OpenClosedDescriptors();
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const int status = gcsflux::conformance::Main(argc, argv);
  curl_global_cleanup();
  return gcsflux::conformance::FlushOutput("gcsflux-conformance", status);
}
