#include "retry_tests/run_trial.h"

#include <chrono>

#include "gcsflux/client.h"
#include "retry_tests/armed_faults.h"

namespace gcsflux::conformance {
namespace {

using std::chrono::milliseconds;

Outcome Failure(std::string detail) { return {.kind = Outcome::Kind::kFailed, .detail = std::move(detail)}; }

Result<Client> MakeClient(const Service& service, const std::string& access_token, const std::string& test_id,
                          bool trusts_tokens) {
  ClientOptions options{
      .endpoint = service.endpoint,
      .credentials = access_token.empty() ? Credentials::Anonymous() : Credentials::AccessToken(access_token),
      .project = service.project,
      .retry = RetryPolicies::All(
          {.initial_delay = milliseconds(1), .max_delay = milliseconds(5), .deadline = std::chrono::seconds(20)}),
      .idempotency = trusts_tokens ? IdempotencyPolicy::kToken : IdempotencyPolicy::kStrict,
      // Shorter than the stalls of the cases.
      .stall_timeout = std::chrono::seconds(2)};
  if (!test_id.empty()) options.extra_headers = {{"x-retry-test-id", test_id}};
  return Client::Create(std::move(options));
}

/// What is wrong with how the call ended. Empty if it ended as expected.
std::string WhyUnexpected(const Trial& trial, const Result<void>& result) {
  if (result.ok()) return trial.expect_success ? "" : "the call succeeded, and was to fail";
  const Error& error = result.error();
  const std::string got = std::string(ErrorCodeName(error.code)) + ": " + error.message;
  if (trial.expect_success) return "the call failed: " + got;
  if (trial.expect_error.empty() || trial.expect_error == ErrorCodeName(error.code)) return "";
  return "the call was to fail with " + trial.expect_error + ", and failed with " + got;
}

/// What is wrong with what the call has done. Empty if nothing is.
std::string WhyWrongEffect(const Trial& trial, const Service& service, const Scene& scene) {
  switch (trial.expect_effect) {
    case ExpectedEffect::kAny: break;
    case ExpectedEffect::kNone: return WhyNotUntouched(service, scene);
    case ExpectedEffect::kOnce: return trial.call.check(service, scene);
  }
  return "";
}

/// Makes the call under its faults and judges both. Its effect is checked without faults.
Outcome RunIn(Scene& scene, const Trial& trial, const Service& service, const std::string& access_token) {
  const auto armed = Arm(service, trial.method, trial.faults);
  if (!armed) return armed.error();
  const auto client = MakeClient(service, access_token, armed->test_id, trial.trusts_tokens);
  const Result<void> result = client.ok() ? trial.call.run(*client, scene) : client.error();
  const auto idle = WhatDidNotHappen(service, *armed);
  const auto disarmed = Disarm(service, *armed);

  if (std::string why = WhyUnexpected(trial, result); !why.empty()) return Failure(std::move(why));
  if (!idle) return Failure(idle.error());
  if (!idle->empty()) return Failure("the call ended as expected, but " + *idle);
  if (!disarmed) return Failure(disarmed.error());
  std::string wrong = WhyWrongEffect(trial, service, scene);
  return wrong.empty() ? Outcome{} : Failure("the call ended as expected, but " + std::move(wrong));
}

}  // namespace

Outcome RunTrial(const Trial& trial, const Service& service, const std::string& access_token,
                 const std::string& bucket) {
  if (!trial.why_skipped.empty()) return {.kind = Outcome::Kind::kSkipped, .detail = trial.why_skipped};
  service.begin_case();
  Scene scene = NameScene(bucket);
  scene.with_precondition = trial.with_precondition;
  const auto set_up = SetUp(service, scene, trial.with_object);
  Outcome outcome = set_up ? RunIn(scene, trial, service, access_token) : Failure(set_up.error());
  service.begin_cleaning();
  if (const auto removed = RemoveScene(service, scene); !removed) outcome.leftover = removed.error();
  return outcome;
}

}  // namespace gcsflux::conformance
