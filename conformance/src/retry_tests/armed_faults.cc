#include "retry_tests/armed_faults.h"

#include "case/excerpt.h"
#include "case/parse_answer.h"

namespace gcsflux::conformance {
namespace {

constexpr auto kTests = "/retry_test";
constexpr auto kPlan = "/_emulator/faults";
constexpr auto kIdempotency = "/_emulator/idempotency";

Request JsonRequest(const std::string& method, const std::string& target, const Json& body) {
  return {.method = method, .target = target, .headers = {{"Content-Type", "application/json"}}, .body = body.dump()};
}

std::string TargetOf(const ArmedFaults& armed) { return std::string(kTests) + "/" + armed.test_id; }

std::string Describe(const Request& request, const OrError<Response>& response) {
  const std::string subject = request.method + " " + request.target + ": ";
  if (!response) return subject + response.error();
  return subject + std::to_string(response->status) + " " + Excerpt(std::string_view(response->body));
}

OrError<Json> GetJson(const Service& service, const std::string& target) {
  const Request request{.method = "GET", .target = target};
  const auto response = service.transport.Send(request);
  Json json = response ? ParseAnswer(response->body) : Json();
  if (!response || response->status != 200 || !json.is_object()) return Failed(Describe(request, response));
  return json;
}

// 400: this service does not know an instruction or a method. 404, 405, 501: it does not know the request.
tl::unexpected<Outcome> NotArmed(const Request& request, const OrError<Response>& response) {
  const bool is_unknown = response && (response->status == 400 || response->status == 404 || response->status == 405 ||
                                       response->status == 501);
  return tl::unexpected(Outcome{.kind = is_unknown ? Outcome::Kind::kSkipped : Outcome::Kind::kFailed,
                                .detail = Describe(request, response)});
}

tl::expected<std::string, Outcome> MakeTest(const Service& service, const std::string& method,
                                            const RetryCase& faults) {
  const Request request = JsonRequest("POST", kTests, {{"instructions", {{method, faults.instructions}}}});
  const auto response = service.transport.Send(request);
  const Json test = response ? ParseAnswer(response->body) : Json();
  const bool is_made = response && response->status == 200 && test.is_object();
  if (!is_made || !test.contains("id") || !test["id"].is_string()) return NotArmed(request, response);
  return test["id"].get<std::string>();
}

OrError<std::string> RulesThatDidNotFire(const Service& service) {
  const auto plan = GetJson(service, kPlan);
  if (!plan) return Failed(plan.error());
  std::string idle;
  for (const Json& counter : plan->value("counters", Json::array())) {
    if (counter.value("fired", 0) == 0) idle += " " + counter.value("rule", "");
  }
  return idle.empty() ? "" : "rules that did not fire:" + idle;
}

OrError<std::string> InstructionsLeft(const Service& service, const ArmedFaults& armed) {
  const auto test = GetJson(service, TargetOf(armed));
  if (!test) return Failed(test.error());
  if (test->value("completed", false)) return "";
  return "the test is not completed, it has left " + test->value("instructions", Json()).dump();
}

}  // namespace

tl::expected<ArmedFaults, Outcome> Arm(const Service& service, const std::string& method, const RetryCase& faults) {
  ArmedFaults armed;
  const auto put = [&](const std::string& target, const Json& body) -> tl::expected<void, Outcome> {
    const Request request = JsonRequest("PUT", target, body);
    const auto response = service.transport.Send(request);
    const bool is_done = response && response->status == 200;
    return is_done ? tl::expected<void, Outcome>() : NotArmed(request, response);
  };
  // It was not armed; only the reason is of interest.
  const auto give_up = [&](const Outcome& outcome) {
    static_cast<void>(Disarm(service, armed));
    return tl::unexpected(outcome);
  };
  if (faults.service_replays) {
    const auto done = put(kIdempotency, {{"window_s", *faults.service_replays ? 300 : 0}});
    if (!done) return give_up(done.error());
    armed.has_idempotency = true;
  }
  if (!faults.faults.empty()) {
    const auto done = put(kPlan, {{"rules", faults.faults}});
    if (!done) return give_up(done.error());
    armed.has_plan = true;
  }
  if (faults.instructions.empty()) return armed;
  auto id = MakeTest(service, method, faults);
  if (!id) return give_up(id.error());
  armed.test_id = *std::move(id);
  return armed;
}

OrError<std::string> WhatDidNotHappen(const Service& service, const ArmedFaults& armed) {
  if (!armed.test_id.empty()) {
    auto left = InstructionsLeft(service, armed);
    if (!left || !left->empty()) return left;
  }
  return armed.has_plan ? RulesThatDidNotFire(service) : "";
}

OrError<void> Disarm(const Service& service, const ArmedFaults& armed) {
  std::string problem;
  const auto remove = [&](const std::string& target) {
    const Request request{.method = "DELETE", .target = target};
    const auto response = service.transport.Send(request);
    if (!response || response->status / 100 != 2) problem = Describe(request, response);
  };
  if (armed.has_plan) remove(kPlan);
  if (armed.has_idempotency) remove(kIdempotency);
  if (!armed.test_id.empty()) remove(TargetOf(armed));
  if (problem.empty()) return {};
  return Failed(problem);
}

}  // namespace gcsflux::conformance
