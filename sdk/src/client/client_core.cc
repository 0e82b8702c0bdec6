#include "client/client_core.h"

#include "base/hide_secret.h"
#include "base/version.h"
#include "events/shown_url.h"
#include "retry/throttle_cause.h"
#include "wire/error_response.h"

namespace gcsflux {

using internal::Attempts;
using internal::BodyReceiver;
using internal::Call;
using internal::Gate;
using internal::GateKeeper;
using internal::HttpRequest;
using internal::HttpResponse;
using internal::TokenCache;

namespace {

Error RefusedByGate(GateKeeper::Admission::Kind kind) {
  switch (kind) {
    case GateKeeper::Admission::Kind::kCancelled:
      return Error{ErrorCode::kCancelled, "cancelled while it waited for its turn"};
    case GateKeeper::Admission::Kind::kHopeless:
      return Error{ErrorCode::kRateLimited, "throttled, and no request has succeeded for 5 minutes", 429};
    default: return Error{ErrorCode::kRateLimited, "throttled: its turn did not come before the deadline", 429};
  }
}

std::optional<Error> Throttling(const Result<HttpResponse>& response) {
  if (!response || (response->status != 429 && response->status != 403 && response->status != 410)) return std::nullopt;
  Error error = internal::ErrorFromResponse(*response);
  return error.code == ErrorCode::kRateLimited ? std::optional(std::move(error)) : std::nullopt;
}

// A request that the service has dealt with, whatever it said, has passed the quota.
void Report(GateKeeper& gate, Gate::TimePoint sent, const Result<HttpResponse>& response,
            const std::optional<Error>& throttling, Attempts& attempts) {
  if (!response || response->status >= 500) return gate.OnOther();
  if (!throttling) return gate.OnSuccess(sent);
  // The limit of a single object is that request's own matter.
  if (internal::CauseOfThrottling(*throttling) == internal::ThrottleCause::kObjectMutation) return gate.OnOther();
  attempts.SetGateDelay(gate.OnThrottled(sent, attempts.number()));
}

// An answer may repeat what it was sent, and an error's words go into messages.
void HideSecrets(std::string& body, const HttpRequest& request, const internal::AccessToken* token) {
  if (token != nullptr) internal::HideSecret(body, token->text);
  if (request.is_url_secret) {
    internal::HideSecret(body, request.url);
    constexpr std::string_view kId = "upload_id=";
    const auto id = request.url.find(kId);
    if (id != std::string::npos) {
      const auto value = std::string_view(request.url).substr(id + kId.size());
      internal::HideSecret(body, value.substr(0, value.find('&')));
    }
  }
  for (const auto& [name, value] : request.headers) {
    if (name.ends_with("-encryption-key")) internal::HideSecret(body, value);
  }
}

}  // namespace

bool ClientCore::IsToEndpoint(const HttpRequest& request) const {
  const std::string_view url = request.url;
  return url.starts_with(settings_.endpoint) && url.substr(settings_.endpoint.size()).starts_with('/');
}

Result<HttpResponse> ClientCore::SendRaw(const HttpRequest& request, const std::string& invocation_id,
                                         Attempts& attempts, const std::stop_token& stop,
                                         BodyReceiver* receiver) const {
  attempts.SetInvocationId(invocation_id);
  const GateClass gate_class = internal::GateClassOf(attempts.call().kind);
  if (settings_.throttle_policy != ThrottlePolicy::kGate) {
    auto response = Transmit(request, invocation_id, attempts, stop, receiver);
    if (Throttling(response)) observer_.Throttled({.call = attempts.info(), .gate_class = gate_class});
    return response;
  }
  GateKeeper& gate = gates_.For(attempts.call().bucket, gate_class);
  if (!attempts.ticket()) attempts.SetTicket(gates_.NewTicket());
  const GateKeeper::Admission admission = gate.Enter(*attempts.ticket(), attempts.deadline(), stop);
  if (admission.kind != GateKeeper::Admission::Kind::kGo) {
    attempts.GiveUp();
    return RefusedByGate(admission.kind);
  }
  auto response = Transmit(request, invocation_id, attempts, stop, receiver);
  const auto throttling = Throttling(response);
  Report(gate, admission.sent, response, throttling, attempts);
  if (throttling) {
    const auto state = gate.state();
    observer_.Throttled(
        {.call = attempts.info(), .gate_class = gate_class, .is_engaged = state.is_engaged, .rate = state.rate});
  }
  return response;
}

Result<HttpResponse> ClientCore::Transmit(const HttpRequest& request, const std::string& invocation_id,
                                          Attempts& attempts, const std::stop_token& stop,
                                          BodyReceiver* receiver) const {
  TokenCache* const tokens = settings_.authorization.tokens.get();
  // A session's URI can lead to another host, and is a credential of its own: no token goes along.
  if (tokens == nullptr || !IsToEndpoint(request)) {
    return Perform(request, invocation_id, attempts, nullptr, stop, receiver);
  }
  const internal::TokenContext context = TokenContextFor(stop);
  const auto token = tokens->Get(context);
  if (!token) return token.error();
  auto response = Perform(request, invocation_id, attempts, token->get(), stop, receiver);
  if (!response || response->status != 401 || !tokens->is_renewable() || !attempts.StartOver()) return response;
  const auto renewed = tokens->Replace(*token, context);
  if (!renewed) return renewed.error();
  return Perform(request, invocation_id, attempts, renewed->get(), stop, receiver);
}

Result<HttpResponse> ClientCore::Perform(const HttpRequest& request, const std::string& invocation_id,
                                         const Attempts& attempts, const internal::AccessToken* token,
                                         const std::stop_token& stop, BodyReceiver* receiver) const {
  HttpRequest complete = request;
  const bool is_to_endpoint = IsToEndpoint(request);
  if (token != nullptr) {
    complete.headers.emplace_back("Authorization", "Bearer " + token->text);
    complete.bypass_proxy = settings_.endpoint.starts_with("http://");
  }
  if (!settings_.authorization.quota_project.empty()) {
    complete.headers.emplace_back("x-goog-user-project", settings_.authorization.quota_project);
  }
  complete.headers.emplace_back("x-goog-api-client", std::string("gl-cpp/20 gccl/") + internal::kVersion +
                                                         " gccl-invocation-id/" + invocation_id +
                                                         " gccl-attempt-count/" + std::to_string(attempts.number()));
  if (is_to_endpoint) {
    complete.headers.insert(complete.headers.end(), settings_.extra_headers.begin(), settings_.extra_headers.end());
  }
  internal::Movement movement;
  complete.movement = &movement;
  const auto start = observer_.is_heard() ? timing_->Now() : internal::Timing::TimePoint();
  auto response = transport_->Perform(complete, receiver, stop);
  std::string url;
  observer_.RequestEnded(movement.bytes_sent, movement.bytes_received, [&] {
    url = internal::ShownUrl(request.url, request.is_url_secret);
    return RequestEvent{.call = attempts.info(),
                        .method = internal::MethodName(request.method),
                        .url = url,
                        .status = response ? response->status : 0,
                        .failure = response ? std::nullopt : std::optional(response.error().code),
                        .bytes_sent = movement.bytes_sent,
                        .bytes_received = movement.bytes_received,
                        .start = start,
                        .first_byte = movement.first_byte ? std::optional(start + *movement.first_byte) : std::nullopt,
                        .end = timing_->Now()};
  });
  if (response && response->status >= 300) HideSecrets(response->body, complete, token);
  return response;
}

Result<HttpResponse> ClientCore::Send(const HttpRequest& request, const std::string& invocation_id, Attempts& attempts,
                                      const std::stop_token& stop, BodyReceiver* receiver) const {
  auto response = SendRaw(request, invocation_id, attempts, stop, receiver);
  if (response.ok() && response->status >= 300) return internal::ErrorFromResponse(*response);
  return response;
}

Result<HttpResponse> ClientCore::Exchange(const Call& call, const HttpRequest& request) const {
  const std::string invocation_id = NewInvocationId();
  return Retry(call, [&](Attempts& attempts) { return Send(request, invocation_id, attempts, call.stop); });
}

std::string ClientCore::NewInvocationId() const {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";  // RFC 4122, version 4
  constexpr char kHex[] = "0123456789abcdef";
  std::string id(kForm);
  for (char& c : id) {
    if (c == 'x') c = kHex[static_cast<std::size_t>(timing_->Random() * 16)];
  }
  return id;
}

}  // namespace gcsflux
