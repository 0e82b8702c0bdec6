#include "client/transmitter.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/carried_secrets.h"
#include "base/hide_secret.h"
#include "base/text/base64.h"
#include "base/uuid.h"
#include "client/observed_request.h"
#include "client/stall_watch.h"
#include "gcsflux/client.h"
#include "gcsflux/version.h"
#include "retry/transient.h"

namespace gcsflux::internal {
namespace {

// x-goog-encryption-key, its hash, and those of a copy's source.
bool IsOfKey(std::string_view header) {
  return header.ends_with("-encryption-key") || header.ends_with("-encryption-key-sha256");
}

bool HasEncryptionKey(const HttpRequest& request) {
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [](const auto& header) { return IsOfKey(header.first); });
}

// An answer may repeat what the request contained, and its text goes into messages.
void NoteSecrets(CarriedSecrets& secrets, const HttpRequest& request, std::string_view bucket) {
  if (request.is_url_secret) {
    for (std::string& secret : SecretsOfSessionUrl(request.url, bucket)) secrets.Note(std::move(secret));
  }
  for (const auto& [name, value] : request.headers) {
    if (!IsOfKey(name)) continue;
    secrets.Note(std::string(value));
    if (auto bytes = Base64Decode(value)) secrets.Note(*std::move(bytes));
  }
}

void NoteToken(CarriedSecrets& secrets, const TokenCache::TokenPtr& token) {
  secrets.NoteToken(std::shared_ptr<const std::string>(token, &token->text));
}

bool IsVisibleChange(const Sending& sending) {
  const HttpRequest& request = sending.request;
  return IsWrite(sending.attempts.call().kind) && request.method != Method::kGet && !request.is_invisible;
}

std::shared_ptr<const std::vector<std::string>> SecretsOf(const ClientSettings& settings) {
  std::vector<std::string> secrets = settings.proxy_secrets;
  for (const auto& [name, value] : settings.extra_headers) secrets.push_back(value);  // They may hold a gateway's key.
  return secrets.empty() ? nullptr : std::make_shared<const std::vector<std::string>>(std::move(secrets));
}

}  // namespace

Transmitter::Transmitter(const ClientSettings& settings, Transport& transport, const Timing& timing, Observer& observer,
                         Hedging& hedging)
    : settings_(settings),
      transport_(transport),
      timing_(timing),
      observer_(observer),
      hedging_(hedging),
      secrets_(SecretsOf(settings)) {}

bool Transmitter::IsToEndpoint(const HttpRequest& request) const {
  const std::string_view url = request.url;
  return url.starts_with(settings_.endpoint) && url.substr(settings_.endpoint.size()).starts_with('/');
}

Result<HttpResponse> Transmitter::Transmit(const Sending& sending, GateKeeper* gate) const {
  const Call& call = sending.attempts.call();
  call.secrets.NoteShared(secrets_);
  NoteSecrets(call.secrets, sending.request, call.bucket);
  TokenCache* const tokens = settings_.authorization.tokens.get();
  // A session's URI can be on another host, and is a credential itself: no token is sent with it.
  if (tokens == nullptr || !IsToEndpoint(sending.request)) return Perform(sending, gate, nullptr);
  const TokenContext context = TokenContextFor(call.stop);
  const auto token = tokens->Get(context);
  if (!token) return token.error();
  NoteToken(call.secrets, *token);
  auto response = Perform(sending, gate, token->get());
  if (!response || response->status != 401 || !tokens->is_renewable()) return response;
  if (!sending.attempts.StartOver({ErrorCode::kUnauthenticated, "401: the token was refused", 401})) return response;
  const auto renewed = tokens->Replace(*token, context);
  if (!renewed) return renewed.error();
  NoteToken(call.secrets, *renewed);
  return Perform(sending, gate, renewed->get());
}

HttpRequest Transmitter::Complete(HttpRequest request, int attempt, const Sending& sending,
                                  const AccessToken* token) const {
  const bool is_to_endpoint = IsToEndpoint(request);
  const std::string& idempotency_token =
      sending.attempts.tokens().For(request, sending.invocation_id, [this] { return NewUuid(timing_); });
  if (token != nullptr || HasEncryptionKey(request)) request.bypass_proxy = request.url.starts_with("http://");
  if (token != nullptr) request.headers.emplace_back("Authorization", "Bearer " + token->text);
  if (!settings_.authorization.quota_project.empty()) {
    request.headers.emplace_back("x-goog-user-project", settings_.authorization.quota_project);
  }
  request.headers.AddJoined("x-goog-api-client",
                            {"gl-cpp/20 gccl/", kVersion, " gccl-invocation-id/", sending.invocation_id,
                             " gccl-attempt-count/", std::to_string(attempt)});
  if (!idempotency_token.empty()) request.headers.emplace_back("x-goog-gcs-idempotency-token", idempotency_token);
  if (is_to_endpoint) request.headers.Append(settings_.extra_headers);
  return request;
}

Result<HttpResponse> Transmitter::Perform(const Sending& sending, GateKeeper* gate, const AccessToken* token) const {
  if (hedging_.is_enabled() && sending.request.method == Method::kGet) return PerformHedged(sending, gate, token);
  ObservedRequest only(observer_, timing_, sending.attempts,
                       Complete(sending.request, sending.attempts.number(), sending, token));
  const bool could_be_stored = sending.attempts.may_be_stored();
  if (IsVisibleChange(sending)) sending.attempts.SetMayBeStored(true);  // Also if an exception ends it.
  auto outcome = transport_.Perform(only.request(), sending.receiver, sending.attempts.call().stop);
  if (!MayHaveTakenEffect(outcome)) sending.attempts.SetMayBeStored(could_be_stored);
  only.Ended(outcome);
  return outcome;
}

Result<HttpResponse> Transmitter::PerformHedged(const Sending& sending, GateKeeper* gate,
                                                const AccessToken* token) const {
  hedging_.budget().OnRequest();
  ObservedRequest first(observer_, timing_, sending.attempts,
                        Complete(sending.request, sending.attempts.number(), sending, token));
  StallWatch progress(timing_, hedging_.PaceOf(sending.attempts.call().kind), sending.receiver);
  const auto make_second = [&](int attempt) -> std::optional<HttpRequest> {
    auto rest = sending.rest != nullptr ? (*sending.rest)() : std::optional(sending.request);
    if (rest) rest = Complete(*std::move(rest), attempt, sending, token);
    return rest;
  };
  Hedge hedge({.timing = timing_,
               .budget = hedging_.budget(),
               .observer = observer_,
               .gate = gate,
               .attempts = sending.attempts,
               .progress = progress,
               .make_second = std::ref(make_second)});
  auto response = transport_.PerformWatched(first.request(), &progress, hedge, sending.attempts.call().stop);
  if (response) {
    progress.OnEnd();
    if (std::string body = progress.TakeBody(); !body.empty()) response->body = std::move(body);
  }
  if (ObservedRequest* const winner = hedge.winner()) {
    first.Ended(Error{ErrorCode::kCancelled, "a second request was faster"});
    winner->Ended(response);
  } else {
    first.Ended(response);
  }
  return response;
}

}  // namespace gcsflux::internal
