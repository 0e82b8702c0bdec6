#include "broken/find_defect.h"

#include <fnmatch.h>

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>

#include "base/time_limits.h"
#include "broken/broken_proxy.h"
#include "http/curl_transport.h"

namespace gcsflux::conformance {
namespace {

bool IsRelevant(const Check& check, const Defect* defect) {
  if (defect == nullptr) return true;
  return std::any_of(check.operations.begin(), check.operations.end(), [defect](const std::string& operation) {
    return std::any_of(defect->match.operations.begin(), defect->match.operations.end(), [&](const std::string& glob) {
      return fnmatch(glob.c_str(), operation.c_str(), FNM_CASEFOLD) == 0;
    });
  });
}

std::vector<Check> Relevant(const std::vector<Check>& checks, const Defect* defect) {
  std::vector<Check> relevant;
  std::copy_if(checks.begin(), checks.end(), std::back_inserter(relevant),
               [defect](const Check& each) { return IsRelevant(each, defect); });
  return relevant;
}

std::string BucketStem() {
  static thread_local std::mt19937_64 random(std::random_device{}());
  return "broken-" + std::to_string(random());
}

}  // namespace

DefectFound FindDefect(const Defect* defect, const std::vector<Check>& checks, const std::string& endpoint) {
  BrokenProxy proxy(endpoint, defect);
  TimeLimits limits(std::chrono::seconds(20), kMostTime);
  CurlTransport transport(proxy.endpoint(), "", [&limits] { return limits.left(); });
  const Service service{
      .transport = transport,
      .endpoint = proxy.endpoint(),
      .project = "broken",
      .sleep = [](std::chrono::seconds) {},
      .connect =
          [&] { return std::make_unique<CurlTransport>(proxy.endpoint(), "", [&limits] { return limits.left(); }); },
      .begin_case = [&limits] { limits.BeginCase(); },
      .begin_cleaning = [&limits] { limits.BeginCleaning(); }};
  DefectFound found;
  std::vector<Check> relevant = Relevant(checks, defect);
  for (Check& check : relevant) {
    check.run = [&found, run = check.run, name = check.name](const Service& with, const std::string& bucket) {
      Outcome outcome = run(with, bucket);
      const bool has_failed = outcome.kind == Outcome::Kind::kFailed;
      if (has_failed || !outcome.form.empty()) found.seen_by.push_back(name);
      if (has_failed) found.is_form_only = false;
      return outcome;
    };
  }
  std::ostringstream out;
  const SuiteRun run{.bucket_stem = BucketStem(), .is_interrupted = [&] {
                       return limits.is_run_over() || (defect != nullptr && found.seen_by.size() >= kEnough);
                     }};
  static_cast<void>(RunSuite(relevant, std::span(&service, 1), run, out, out));
  found.fired = proxy.fired();
  found.has_hung = limits.is_run_over();
  return found;
}

}  // namespace gcsflux::conformance
