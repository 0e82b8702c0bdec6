#include "client/client_core.h"

#include "client/throttling.h"
#include "wire/error_response.h"

namespace gcsflux {

using internal::Attempts;
using internal::BodyReceiver;
using internal::Call;
using internal::GateKeeper;
using internal::HttpRequest;
using internal::HttpResponse;

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

}  // namespace

std::shared_ptr<const std::vector<std::string>> ClientCore::SecretsOf(const Settings& settings) {
  std::vector<std::string> secrets = settings.proxy_secrets;
  for (const auto& [name, value] : settings.extra_headers) secrets.push_back(value);  // a gateway's key, perhaps
  return secrets.empty() ? nullptr : std::make_shared<const std::vector<std::string>>(std::move(secrets));
}

internal::EventLoops& ClientCore::loops() const {
  {
    const std::scoped_lock lock(loops_mutex_);
    if (!loops_) loops_ = std::make_unique<internal::EventLoops>(settings_.io_threads);
  }
  const auto shortage = loops_->StartMissing();
  if (const std::size_t started = loops_->size(); shortage && started > 0) {
    observer_.ShortOfThreads({.wanted = settings_.io_threads, .started = started, .cause = *shortage});
  }
  return *loops_;
}

Result<HttpResponse> ClientCore::SendRaw(const HttpRequest& request, const std::string& invocation_id,
                                         Attempts& attempts, const std::stop_token& stop, BodyReceiver* receiver,
                                         const RestOfRead& rest) const {
  // The gates may have waiters that are not there, and the connections are the parent's.
  if (made_in_.IsInChild()) return internal::ForkedError("the call");
  attempts.SetInvocationId(invocation_id);
  Sending sending{request, invocation_id, attempts, stop, receiver, rest, nullptr};
  if (settings_.throttle_policy != ThrottlePolicy::kGate) {
    auto response = Transmit(sending);
    attempts.tokens().OnOutcome(request, response);
    internal::ReportToGate(nullptr, {}, response, attempts, observer_);
    return response;
  }
  GateKeeper& gate = gates_.For(attempts.call().bucket, internal::GateClassOf(attempts.call().kind));
  if (!attempts.ticket()) attempts.SetTicket(gates_.NewTicket());
  const GateKeeper::Admission admission = gate.Enter(*attempts.ticket(), attempts.deadline(), stop);
  if (admission.kind != GateKeeper::Admission::Kind::kGo) {
    attempts.GiveUp();
    return RefusedByGate(admission.kind);
  }
  sending.gate = &gate;
  auto response = Transmit(sending);
  attempts.tokens().OnOutcome(request, response);
  internal::ReportToGate(&gate, admission.sent, response, attempts, observer_);
  return response;
}

Result<HttpResponse> ClientCore::Send(const HttpRequest& request, const std::string& invocation_id, Attempts& attempts,
                                      const std::stop_token& stop, BodyReceiver* receiver,
                                      const RestOfRead& rest) const {
  auto response = SendRaw(request, invocation_id, attempts, stop, receiver, rest);
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
  constexpr int kDigitsOfOne = 12;  // 48 of a double's 53 bits
  std::string id(kForm);
  std::uint64_t digits = 0;
  int left = 0;
  for (char& c : id) {
    if (c != 'x') continue;
    if (left == 0) {
      digits = static_cast<std::uint64_t>(timing_->Random() * static_cast<double>(std::uint64_t{1} << 48));
      left = kDigitsOfOne;
    }
    c = kHex[digits & 15];
    digits >>= 4;
    --left;
  }
  return id;
}

}  // namespace gcsflux
