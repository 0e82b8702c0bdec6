#include "program/run_checks.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "base/time_limits.h"
#include "case/excerpt.h"
#include "case/parse_answer.h"
#include "gcsflux/emulator/emulator.h"
#include "http/curl_transport.h"
#include "program/watchdog.h"
#include "report/report.h"
#include "run_cases/run_marker.h"
#include "run_cases/within_prefix.h"

namespace gcsflux::conformance {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// After the first SIGINT or SIGTERM, the cases under way remove their buckets. The second one ends the program.
void CleanUpWhenInterrupted() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

/// What one thread of the run has for itself: its connection and its time limits.
class Worker {
 public:
  Worker(const Options& options, AccessToken& token)
      : endpoint_(options.endpoint),
        token_(token),
        limits_(options.case_timeout, options.timeout),
        transport_(endpoint_, TokenSource(), TimeLeft()) {
    service_.endpoint = options.endpoint;
    service_.project = options.project;
    service_.has_access_token = !token.Current().empty();
    service_.sleep = [this](std::chrono::seconds wait) {
      std::this_thread::sleep_for(std::min<std::chrono::milliseconds>(wait, limits_.left()));
    };
    service_.connect = [this] { return std::make_unique<CurlTransport>(endpoint_, TokenSource(), TimeLeft()); };
    service_.begin_case = [this] { limits_.BeginCase(); };
    service_.begin_cleaning = [this] { limits_.BeginCleaning(); };
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] Service& service() { return service_; }
  [[nodiscard]] TimeLimits& limits() { return limits_; }

 private:
  [[nodiscard]] std::function<std::string()> TokenSource() const {
    return [&token = token_] { return token.Current(); };
  }
  [[nodiscard]] std::function<std::chrono::milliseconds()> TimeLeft() const {
    return [this] { return limits_.left(); };
  }

  const std::string endpoint_;
  AccessToken& token_;
  TimeLimits limits_;
  CurlTransport transport_;
  Service service_{.transport = transport_};
};

/// Why the endpoint cannot be judged at all, in one message. For retry tests, the service must have their API.
std::optional<std::string> WhyUnusable(const Service& service, bool has_retry_tests) {
  const std::string target = has_retry_tests ? "/retry_tests" : "/storage/v1/b?project=" + service.project;
  const auto answer = service.transport.Send({.method = "GET", .target = target});
  if (!answer) {
    return "cannot reach the service: " + answer.error() + "; check --endpoint and that the service is running";
  }
  const std::string got = "GET " + target + " is " + std::to_string(answer->status);
  if (has_retry_tests && answer->status != 200) {
    return got + ": the service has no Retry Test API; name an emulator by --endpoint, or none";
  }
  if (answer->status == 401) return got + ": the service wants a credential; set --access_token_file";
  if (!ParseAnswer(answer->body).is_structured()) {
    return got + " " + Excerpt(std::string_view(answer->body)) +
           ", which is not JSON: this is not Cloud Storage; check --endpoint";
  }
  return std::nullopt;
}

int StatusOf(const Options& options, const Tally& tally) {
  if (tally.failed != 0 || (options.form_fails && tally.form != 0)) return kFailed;
  return tally.left_behind == 0 ? kAllPassed : kLeftBehind;
}

int NothingRun(const std::string& why, const std::vector<Check>& checks) {
  Say(why);
  std::cout << Summary({.skipped = static_cast<int>(checks.size())}) << std::endl;
  return kFailed;
}

std::map<std::string, bool> Probe(const std::vector<Check>& checks, const Service& service) {
  std::map<std::string, bool> capabilities;
  for (const Check& check : checks) {
    for (const std::string& need : check.needs) {
      if (!capabilities.contains(need)) capabilities[need] = MeetsNeed(need, service);
    }
  }
  return capabilities;
}

std::string WhyCutShort(const Options& options, const SuiteResult& result, bool is_run_over) {
  if (interrupted != 0) return "interrupted";
  if (!result.why_cut_short.empty()) return result.why_cut_short;
  if (is_run_over) return "the run's time is over: raise --timeout_s";
  return "the run has sent --max_requests=" + std::to_string(options.max_requests);
}

/// One run against a service that is there.
class Run {
 public:
  Run(const Options& options, const PlannedRun& plan, AccessToken& token, std::span<const std::string> endpoints)
      : options_(options),
        plan_(plan),
        token_(token),
        place_{.prefix = options.bucket_prefix, .shared_bucket = options.bucket},
        budget_(options.max_requests == 0 ? INT64_MAX : options.max_requests) {
    for (int i = 0; i < options.jobs; ++i) {
      Options own = options;
      own.endpoint = endpoints[static_cast<std::size_t>(i) % endpoints.size()];
      workers_.push_back(std::make_unique<Worker>(own, token));
    }
  }

  int Go(ReportFiles& reports) {
    const Service& first = workers_.front()->service();
    first.begin_case();
    if (const auto why = WhyUnusable(first, !options_.retry_tests.empty())) return NothingRun(*why, plan_.checks);
    const std::string unsuitable = options_.bucket.empty() ? "" : WhyUnsuitable(first, options_.bucket);
    if (!unsuitable.empty()) return NothingRun("--bucket=" + options_.bucket + ": " + unsuitable, plan_.checks);
    ListCapabilities(Probe(plan_.checks, first));
    CleanUpWhenInterrupted();
    if (const auto marked = Mark(); !marked) return NothingRun(token_.RedactIn(marked.error()), plan_.checks);
    SuiteResult result = RunAll();
    Unmark(result.tally);
    return Report(result, reports);
  }

 private:
  void ListCapabilities(std::map<std::string, bool> capabilities) {
    capabilities_ = std::move(capabilities);
    for (const auto& [name, has] : capabilities_) std::cout << (has ? "has  " : "lacks ") + name + "\n";
    for (auto& worker : workers_) {
      worker->service().meets = [this](const std::string& need) { return capabilities_.at(need); };
    }
  }

  /// An embedded emulator ends with the run, so it needs no marker.
  [[nodiscard]] bool HasMarker() const { return !options_.endpoint.empty(); }

  OrError<void> Mark() {
    if (!HasMarker()) return {};
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto end = now + options_.timeout + 3 * options_.case_timeout;
    return MakeMarker(workers_.front()->service(), place_, plan_.run,
                      std::chrono::duration_cast<std::chrono::seconds>(end).count());
  }

  void Unmark(Tally& tally) {
    // If something is left behind, the marker stays, so that --clean finds it.
    if (!HasMarker() || tally.left_behind != 0) return;
    const Service& first = workers_.front()->service();
    first.begin_cleaning();
    const auto removed = RemoveMarker(first, place_, plan_.run);
    if (removed) return;
    ++tally.left_behind;
    Say(token_.RedactIn(removed.error()));
  }

  SuiteResult RunAll() {
    std::vector<Service> services;
    for (auto& worker : workers_) services.push_back(worker->service());
    const SuiteRun run{
        .bucket_stem = options_.bucket_prefix + "-" + plan_.run,
        .redact = [this](std::string text) { return token_.RedactIn(std::move(text)); },
        .is_interrupted = [this] { return interrupted != 0 || workers_.front()->limits().is_run_over(); },
        .budget = &budget_,
        .known = plan_.known};
    return RunSuite(plan_.checks, services, run, std::cout, std::cerr);
  }

  int Report(SuiteResult& result, ReportFiles& reports) {
    const bool is_run_over = workers_.front()->limits().is_run_over();
    const bool is_cut_short = std::any_of(result.outcomes.begin(), result.outcomes.end(),
                                          [](const Outcome& each) { return each.was_not_reached; });
    if (is_cut_short) {
      result.why_cut_short = WhyCutShort(options_, result, is_run_over);
      Say(token_.RedactIn(result.why_cut_short));
    } else if (interrupted != 0) {
      Say("interrupted");
    }
    const ReportedRun run{.version = GCSFLUX_VERSION,
                          .endpoint = options_.endpoint.empty() ? "the embedded emulator" : options_.endpoint,
                          .profile = options_.endpoint_profile,
                          .capabilities = capabilities_,
                          .redact = [this](std::string text) { return token_.RedactIn(std::move(text)); }};
    const auto written = reports.Write(ReportDocument(plan_.checks, result, run));
    if (!written) Say(written.error());
    std::cout << Summary(result.tally) << std::endl;
    return is_cut_short || interrupted != 0 || !written ? kFailed : StatusOf(options_, result.tally);
  }

  const Options& options_;
  const PlannedRun& plan_;
  AccessToken& token_;
  const RunPlace place_;
  RequestBudget budget_;
  std::map<std::string, bool> capabilities_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

int RunAgainstEmulators(const Options& options, const PlannedRun& plan, AccessToken& token, ReportFiles& reports) {
  try {
    // Faults of a retry test are those of a whole service, so each worker has one of its own then.
    const int count = options.retry_tests.empty() ? 1 : options.jobs;
    std::vector<std::unique_ptr<emulator::Emulator>> emulators;
    std::vector<std::string> endpoints;
    for (int i = 0; i < count; ++i) {
      emulators.push_back(std::make_unique<emulator::Emulator>());
      endpoints.push_back(emulators.back()->endpoint());
    }
    return Run(options, plan, token, endpoints).Go(reports);
  } catch (const std::system_error& error) {
    Say(std::string("cannot start the embedded emulator: ") + error.what());
    return kFailed;
  }
}

}  // namespace

void Say(const std::string& what) { std::cerr << "gcsflux-conformance: " + what + "\n"; }

int RunChecks(const Options& options, const PlannedRun& plan, AccessToken& token, ReportFiles& reports) {
  // A call of the SDK may wait for a service that never ends its answer.
  const Watchdog watchdog(options.timeout + 3 * options.case_timeout, [] {
    Say("the run does not end: its buckets may be left behind");
    std::_Exit(kFailed);
  });
  if (options.endpoint.empty()) return RunAgainstEmulators(options, plan, token, reports);
  return Run(options, plan, token, std::span(&options.endpoint, 1)).Go(reports);
}

int Clean(const Options& options, AccessToken& token) {
  Worker worker(options, token);
  worker.service().begin_case();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto cleaned = CleanRuns(worker.service(), {.prefix = options.bucket_prefix, .shared_bucket = options.bucket},
                                 std::chrono::duration_cast<std::chrono::seconds>(now).count(), std::cout);
  if (!cleaned) {
    Say(token.RedactIn(cleaned.error()));
    return kFailed;
  }
  std::cout << std::to_string(cleaned->runs) + " runs removed, " + std::to_string(cleaned->running) +
                   " may be running still\n";
  return cleaned->failed == 0 ? kAllPassed : kLeftBehind;
}

}  // namespace gcsflux::conformance
