#include "retry_tests/trial.h"

#include <algorithm>
#include <utility>

namespace gcsflux::conformance {
namespace {

bool Has(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool IsMeant(const RetryMethod& method, const SdkCall& call) {
  return call.method == method.name && (method.group.empty() || call.group == method.group) &&
         (method.calls.empty() || Has(method.calls, call.name));
}

/// The calls of a method. If a call was asked for by name and the SDK lacks it, its entry has no functions.
std::vector<SdkCall> CallsOf(const RetryMethod& method, std::span<const SdkCall> calls) {
  std::vector<SdkCall> found;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(found),
               [&method](const SdkCall& call) { return IsMeant(method, call); });
  for (const std::string& name : method.calls) {
    const bool is_found = std::any_of(found.begin(), found.end(), [&](const SdkCall& c) { return c.name == name; });
    if (!is_found) found.push_back({.name = name});
  }
  if (found.empty()) found.push_back({});
  return found;
}

std::string Label(const RetryCase& faults) {
  std::string label;
  for (const std::string& instruction : faults.instructions) label += (label.empty() ? "" : ",") + instruction;
  for (const Json& rule : faults.faults) label += (label.empty() ? "" : ",") + rule.value("name", "");
  return "[" + label + "]";
}

std::string WhySkipped(const RetryScenario& scenario, const RetryMethod& method, const RetryCase& faults,
                       const SdkCall& call) {
  if (call.run == nullptr) return "the SDK has no such call";
  if (faults.instructions.empty() && faults.faults.empty()) return "the case has no instructions";
  for (const std::string& resource : method.resources) {
    if (resource != "BUCKET" && resource != "OBJECT") return "the SDK makes no " + resource;
  }
  if (call.repeatable == Repeatable::kByItself && !scenario.precondition_provided) {
    return "the SDK makes it conditional by itself";
  }
  return "";
}

Trial MakeTrial(const RetryScenario& scenario, const RetryMethod& method, const RetryCase& faults,
                const SdkCall& call) {
  std::string subject = scenario.id + "/" + method.name;
  if (!method.group.empty() && call.name.empty()) subject += "/" + method.group;
  if (!call.name.empty()) subject += "/" + std::string(call.name);
  RetryCase told = faults;
  told.service_replays = scenario.service_replays;
  return {.name = subject + Label(faults),
          .claim = scenario.description + (scenario.expect_success ? ": succeeds" : ": fails"),
          .method = method.name,
          .call = call,
          .why_skipped = WhySkipped(scenario, method, faults, call),
          .faults = std::move(told),
          .with_object = Has(method.resources, "OBJECT"),
          .with_precondition = scenario.precondition_provided,
          .trusts_tokens = scenario.trusts_tokens,
          .expect_success = scenario.expect_success,
          .expect_error = scenario.expect_error,
          .expect_effect = scenario.expect_success ? ExpectedEffect::kOnce : scenario.expect_effect};
}

}  // namespace

std::vector<Trial> MakeTrials(const std::vector<RetryScenario>& scenarios, std::span<const SdkCall> calls) {
  std::vector<Trial> trials;
  for (const RetryScenario& scenario : scenarios) {
    for (const RetryMethod& method : scenario.methods) {
      for (const SdkCall& call : CallsOf(method, calls)) {
        for (const RetryCase& faults : scenario.cases) trials.push_back(MakeTrial(scenario, method, faults, call));
      }
    }
  }
  return trials;
}

}  // namespace gcsflux::conformance
