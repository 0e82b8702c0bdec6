#include "run_cases/run_case.h"

#include <algorithm>

#include "base/xpath.h"
#include "case/excerpt.h"
#include "case/match_response.h"
#include "case/parse_answer.h"
#include "case/placeholders.h"
#include "read_cases/parse_cases.h"
#include "run_cases/send_at_once.h"
#include "run_cases/test_bucket.h"
#include "run_cases/throttling.h"

namespace gcsflux::conformance {
namespace {

std::string FillIn(const BodyPiece& piece, const Variables& variables) {
  if (const auto* text = std::get_if<std::string>(&piece)) return Substitute(*text, variables);
  if (const auto* json = std::get_if<JsonText>(&piece)) return SubstituteInside(json->value, variables).dump();
  if (const auto* raw = std::get_if<RawBytes>(&piece)) return raw->value;
  return Generate(std::get<GeneratedBytes>(piece));
}

Request FillIn(const Step& step, const Variables& variables) {
  Request request{.method = step.method, .target = Substitute(step.target, variables)};
  for (const auto& [name, value] : step.headers) request.headers.emplace_back(name, Substitute(value, variables));
  if (step.has_body) request.body.emplace();
  for (const BodyPiece& piece : step.body) *request.body += FillIn(piece, variables);
  request.chunked = step.chunked;
  request.anonymous = step.anonymous;
  return request;
}

Expectation FillIn(Expectation want, const Variables& variables) {
  for (auto& header : want.headers) header.second = SubstituteInside(header.second, variables);
  if (want.json) want.json = SubstituteInside(*want.json, variables);
  for (auto& place : want.xml) place.second = SubstituteInside(place.second, variables);
  if (want.body && std::holds_alternative<Json>(*want.body)) {
    want.body = SubstituteInside(std::get<Json>(*want.body), variables);
  }
  return want;
}

/// A session URI is absolute. It must lead to the endpoint itself: a client behind a tunnel or in a container cannot
/// reach any other host, and the access token must not go there.
OrError<std::string> TargetAt(const std::string& endpoint, const std::string& target) {
  if (target.starts_with('/')) return target;
  if (target.starts_with(endpoint + "/")) return target.substr(endpoint.size());
  return Failed("the target " + Excerpt(std::string_view(target)) + " is not at the endpoint " + endpoint);
}

OrError<std::string> Extract(const Save& save, const Response& response) {
  if (const auto* header = std::get_if<std::string>(&save.source)) {
    if (const auto value = FindHeader(response.headers, *header)) return *value;
    return Failed("save " + save.variable + ": there is no header " + *header);
  }
  if (const auto* path = std::get_if<XPath>(&save.source)) {
    const auto texts = Select(response.body, path->expression);
    if (texts && texts->size() == 1) return texts->front();
    return Failed("save " + save.variable + ": there is not one node at " + path->expression);
  }
  const auto& pointer = std::get<Json::json_pointer>(save.source);
  const Json body = ParseAnswer(response.body);
  if (!body.is_structured() || !body.contains(pointer)) {
    return Failed("save " + save.variable + ": there is nothing at " + pointer.to_string());
  }
  const Json& value = body.at(pointer);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool Wants(const Step& step, int status) {
  return std::find(step.want.status.begin(), step.want.status.end(), status) != step.want.status.end();
}

OrError<Request> RequestOf(const Step& step, const Service& service, const Variables& variables) {
  Request request = FillIn(step, variables);
  auto target = TargetAt(service.endpoint, request.target);
  if (!target) return Failed(target.error());
  request.target = *std::move(target);
  return request;
}

std::string AnswerWas(const Response& response) {
  return "; the answer was " + std::to_string(response.status) + " " + Excerpt(std::string_view(response.body));
}

OrError<void> SaveFrom(const Response& response, const Step& step, Variables& variables) {
  for (const Save& save : step.save) {
    auto value = Extract(save, response);
    if (!value) return Failed(value.error() + AnswerWas(response));
    variables[save.variable] = *value;
  }
  return {};
}

/// Sends the request of the step several times at the same time. What is saved is from the answer that the step wants.
OrError<void> RunAtOnce(const Step& step, const Service& service, Variables& variables) {
  std::vector<Request> requests;
  for (std::uint64_t turn = 0; turn < step.concurrently->times; ++turn) {
    variables["turn"] = std::to_string(turn);
    auto request = RequestOf(step, service, variables);
    if (!request) return Failed(request.error());
    requests.push_back(*std::move(request));
  }
  const auto answers = SendAtOnce(service, requests);
  if (!answers) return Failed(answers.error());
  const Expectation want = FillIn(step.want, variables);
  const auto wanted = std::find_if(answers->begin(), answers->end(),
                                   [&](const Response& answer) { return !FindMismatch(want, answer); });
  if (wanted == answers->end()) return Failed("none of the answers is the wanted one" + AnswerWas(answers->front()));
  const Expectation others = FillIn(step.concurrently->others, variables);
  for (auto other = answers->begin(); other != answers->end(); ++other) {
    const auto mismatch = other == wanted ? std::nullopt : FindMismatch(others, *other);
    if (mismatch) return Failed("another answer at the same time: " + *mismatch + AnswerWas(*other));
  }
  return SaveFrom(*wanted, step, variables);
}

/// Runs the step once and adds what it saves to `variables`, and what differs in form to `form`. An error says what was
/// wanted and what arrived.
OrError<void> RunOnce(const Step& step, const Service& service, Variables& variables, std::vector<std::string>& form) {
  if (step.concurrently) return RunAtOnce(step, service, variables);
  const auto request = RequestOf(step, service, variables);
  if (!request) return Failed(request.error());
  const auto response = Wants(step, 429) ? service.transport.Send(*request) : SendUnlessThrottled(service, *request);
  if (!response) return Failed(response.error());
  if (const auto mismatch = FindMismatch(FillIn(step.want, variables), *response)) {
    return Failed(*mismatch + AnswerWas(*response));
  }
  if (const auto mismatch = FindMismatch(FillIn(step.form, variables), *response)) form.push_back(*mismatch);
  return SaveFrom(*response, step, variables);
}

OrError<void> RunStep(const Step& step, const Service& service, Variables& variables, std::vector<std::string>& form) {
  if (step.for_each.empty()) return RunOnce(step, service, variables, form);
  for (const std::string& each : step.for_each) {
    variables["each"] = Substitute(each, variables);
    const auto done = RunOnce(step, service, variables, form);
    if (!done) return Failed("for " + Excerpt(std::string_view(each)) + ": " + done.error());
  }
  return {};
}

/// The first need of `subject` that the service does not meet. Empty if it meets all.
std::string UnmetNeed(const Case& subject, const Service& service) {
  for (const std::string& need : subject.needs) {
    if (!(service.meets ? service.meets(need) : MeetsNeed(need, service))) return need;
  }
  return {};
}

/// Where in the case. The target is as the case writes it: after replacement it can contain a session's id.
std::string PlaceOf(const Step& step, std::size_t index) {
  return "step " + std::to_string(index + 1) + ", " + step.method + " " + step.target + ": ";
}

OrError<void> RunSteps(const Case& subject, const Service& service, const std::string& bucket, Outcome& outcome) {
  Variables variables(subject.given.begin(), subject.given.end());
  variables["endpoint"] = service.endpoint;
  variables["project"] = service.project;
  variables["bucket"] = bucket;
  if (subject.bucket_exists && !service.is_bucket_shared) {
    if (auto created = CreateBucket(service, bucket); !created) {
      outcome.is_unprepared = true;
      return created;
    }
  }
  for (std::size_t i = 0; i < subject.steps.size(); ++i) {
    const Step& step = subject.steps[i];
    std::vector<std::string> form;
    const auto done = RunStep(step, service, variables, form);
    for (const std::string& difference : form) outcome.form.push_back(PlaceOf(step, i) + difference);
    if (!done) {
      outcome.expected = step.want.as_written;
      return Failed(PlaceOf(step, i) + done.error());
    }
  }
  return {};
}

}  // namespace

bool MeetsNeed(const std::string& need, const Service& service) {
  if (need == kNeedsAccessToken) return service.has_access_token;
  const auto response = service.transport.Send({.method = "GET", .target = need});
  return response && response->status == 200;
}

Outcome RunCase(const Case& subject, const Service& service, const std::string& bucket) {
  service.begin_case();
  if (const std::string need = UnmetNeed(subject, service); !need.empty()) {
    return {.kind = Outcome::Kind::kSkipped, .detail = "needs " + need, .not_applicable = need};
  }
  Outcome outcome;
  if (const auto done = RunSteps(subject, service, bucket, outcome); !done) {
    outcome.kind = Outcome::Kind::kFailed;
    outcome.detail = done.error();
  }
  service.begin_cleaning();
  if (service.is_bucket_shared) return outcome;
  if (const auto gone = DeleteBucketAndObjects(service, bucket); !gone) outcome.leftover = gone.error();
  return outcome;
}

}  // namespace gcsflux::conformance
