// gcsflux-conformance: holds a service to the contract in conformance/cases.

#include <curl/curl.h>
#include <signal.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <system_error>
#include <thread>

#include "curl_transport.h"
#include "gcsflux/emulator/emulator.h"
#include "load_cases.h"
#include "options.h"
#include "suite.h"

namespace gcsflux::conformance {
namespace {

constexpr int kAllPassed = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

volatile std::sig_atomic_t interrupted = 0;

/// The first SIGINT or SIGTERM lets the case under way remove its bucket; the second one ends the program.
void CleanUpWhenInterrupted() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int WrongUsage(const std::string& what) {
  std::cerr << "gcsflux-conformance: " << what << "\nTry gcsflux-conformance --help\n";
  return kWrongUsage;
}

/// Eight random hex digits, so that two runs never meet in one bucket.
std::string RunId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 8; ++i) id += "0123456789abcdef"[random() % 16];
  return id;
}

OrError<std::string> ReadAccessToken(const std::string& path) {
  if (path.empty()) return "";
  std::ifstream file(path);
  std::string token;
  if (!(file >> token)) return Failed("--access_token_file: " + path + " cannot be read or holds no token");
  return token;
}

OrError<std::vector<Case>> SelectedCases(const Options& options) {
  auto cases = options.cases.empty() ? LoadEmbeddedCases() : LoadCases(options.cases);
  if (!cases) return cases;
  auto selected = Filtered(*std::move(cases), options.filter);
  if (selected.empty()) return Failed("--filter=" + options.filter + " matches no case; see --list");
  return selected;
}

/// Any answer will do: what it says is for the cases to judge.
std::optional<std::string> WhyUnreachable(Transport& transport) {
  const auto answer = transport.Send({.method = "GET", .target = "/storage/v1/b"});
  if (answer) return std::nullopt;
  return "cannot reach the service: " + answer.error() + "; check --endpoint and that the service is running";
}

int RunAgainst(const Options& options, const std::vector<Case>& cases, const std::string& token) {
  CurlTransport transport(options.endpoint, token);
  Tally tally;
  if (const auto why = WhyUnreachable(transport)) {
    std::cerr << "gcsflux-conformance: " << *why << std::endl;
    tally.skipped = static_cast<int>(cases.size());
    std::cout << Summary(tally) << std::endl;
    return kFailed;
  }
  const Service service{.transport = transport,
                        .endpoint = options.endpoint,
                        .project = options.project,
                        .has_access_token = !token.empty(),
                        .sleep = [](std::chrono::seconds wait) { std::this_thread::sleep_for(wait); }};
  const SuiteRun run{.bucket_stem = options.bucket_prefix + "-" + RunId(), .secret = token, .is_interrupted = [] {
                       return interrupted != 0;
                     }};
  CleanUpWhenInterrupted();
  tally = RunSuite(cases, service, run, std::cout, std::cerr);
  if (interrupted != 0) std::cerr << "gcsflux-conformance: interrupted" << std::endl;
  std::cout << Summary(tally) << std::endl;
  return tally.failed == 0 && interrupted == 0 ? kAllPassed : kFailed;
}

int RunAgainstEmulator(Options options, const std::vector<Case>& cases, const std::string& token) {
  try {
    const emulator::Emulator emulator;
    options.endpoint = emulator.endpoint();
    return RunAgainst(options, cases, token);
  } catch (const std::system_error& error) {
    std::cerr << "gcsflux-conformance: cannot start the embedded emulator: " << error.what() << std::endl;
    return kFailed;
  }
}

int Main(std::span<const char* const> arguments) {
  const auto options = ParseOptions(arguments);
  if (!options) return WrongUsage(options.error());
  if (options->help) {
    std::cout << Usage();
    return kAllPassed;
  }
  const auto cases = SelectedCases(*options);
  if (!cases) return WrongUsage(cases.error());
  if (options->list) {
    for (const Case& each : *cases) std::cout << each.name << ": " << each.claim << "\n";
    return kAllPassed;
  }
  const auto token = ReadAccessToken(options->access_token_file);
  if (!token) return WrongUsage(token.error());
  return options->endpoint.empty() ? RunAgainstEmulator(*options, *cases, *token)
                                   : RunAgainst(*options, *cases, *token);
}

}  // namespace
}  // namespace gcsflux::conformance

int main(int argc, char** argv) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const int status = gcsflux::conformance::Main({argv + 1, argv + argc});
  curl_global_cleanup();
  return status;
}
