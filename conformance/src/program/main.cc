// gcsflux-conformance: checks a service against the contract in conformance/cases, or the SDK against retry scenarios.

#include <curl/curl.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "program/estimate.h"
#include "program/options.h"
#include "program/run_checks.h"
#include "program/standard_streams.h"
#include "read_cases/load_cases.h"
#include "retry_tests/load_retry_tests.h"

namespace gcsflux::conformance {
namespace {

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

OrError<std::vector<Check>> LoadChecks(const Options& options, const std::string& run, const std::string& token) {
  if (!options.retry_tests.empty()) return LoadRetryTests(options.retry_tests, token);
  const auto cases = options.cases.empty() ? LoadEmbeddedCases() : LoadCases(options.cases);
  if (!cases) return Failed(cases.error());
  if (options.bucket.empty()) return ChecksOf(*cases);
  return ChecksInSharedBucket(*cases, options.bucket, options.bucket_prefix + "-" + run);
}

OrError<PlannedRun> Plan(const Options& options, const std::string& token) {
  PlannedRun plan{.run = RunId()};
  auto checks = LoadChecks(options, plan.run, token);
  if (!checks) return Failed(checks.error());
  plan.checks = Tagged(Filtered(*std::move(checks), options.filter), options.tags);
  if (plan.checks.empty()) {
    return Failed("--filter=" + options.filter + (options.tags.empty() ? "" : " with --tags") +
                  " matches no case; see --list");
  }
  for (const auto& known : {LoadProfile(options.endpoint_profile), LoadBaseline(options.baseline)}) {
    if (!known) return Failed(known.error());
    plan.known.insert(plan.known.end(), known->begin(), known->end());
  }
  return plan;
}

int DryRun(const Options& options, const std::vector<Check>& checks) {
  auto cases = options.cases.empty() ? LoadEmbeddedCases() : LoadCases(options.cases);
  if (!cases) return WrongUsage(cases.error());
  std::erase_if(*cases, [&checks](const Case& each) {
    return std::none_of(checks.begin(), checks.end(), [&](const Check& check) { return check.name == each.name; });
  });
  std::cout << EstimateOf(*cases);
  return kAllPassed;
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
  AccessToken token(options->access_token_file);
  if (const auto loaded = token.Load(); !loaded) return WrongUsage(loaded.error());
  if (options->clean) return Clean(*options, token);
  const auto plan = Plan(*options, token.Current());
  if (!plan) return WrongUsage(plan.error());
  if (options->list) {
    for (const Check& each : plan->checks) std::cout << each.name << ": " << each.claim << "\n";
    return kAllPassed;
  }
  if (options->dry_run) return DryRun(*options, plan->checks);
  ReportFiles reports;
  if (const auto opened = reports.Open(options->reports); !opened) return WrongUsage(opened.error());
  return RunChecks(*options, *plan, token, reports);
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
