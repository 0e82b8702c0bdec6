#include "client/client_core.h"

#include "client/throttling.h"
#include "wire/error_response.h"

namespace gcsflux {

using internal::Attempts;
using internal::Call;
using internal::GateKeeper;
using internal::HttpRequest;
using internal::HttpResponse;
using internal::Sending;

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

internal::EventLoops& ClientCore::loops() const {
  internal::EventLoops* loops = nullptr;
  {
    const internal::MutexLock lock(loops_mutex_);
    if (!loops_) loops_ = std::make_unique<internal::EventLoops>(settings_.io_threads);
    loops = loops_.get();
  }
  const auto shortage = loops->StartMissing();
  if (const std::size_t started = loops->size(); shortage && started > 0) {
    observer_.Report({.kind = EventKind::kThreadShortage,
                      .error = &*shortage,
                      .what = "threads",
                      .wanted = settings_.io_threads,
                      .started = started});
  }
  return *loops;
}

Result<HttpResponse> ClientCore::SendRaw(const Sending& sending) const {
  // In the child the gates may have waiters that do not exist, and the connections are the parent's.
  if (!owner_.IsCurrent()) return owner_.Refuse("the call");
  Attempts& attempts = sending.attempts;
  attempts.SetInvocationId(sending.invocation_id);
  if (!settings_.pace_throttled) {
    auto response = transmitter_.Transmit(sending, nullptr);
    attempts.tokens().OnOutcome(sending.request, response);
    internal::ReportToGate(nullptr, {}, response, attempts, observer_);
    return response;
  }
  const Call& call = attempts.call();
  GateKeeper& gate = gates_.For(call.bucket, internal::GateClassOf(call.kind));
  if (!attempts.ticket()) attempts.SetTicket(gates_.NewTicket());
  const GateKeeper::Admission admission = gate.Enter(*attempts.ticket(), attempts.deadline(), call.stop);
  if (admission.kind != GateKeeper::Admission::Kind::kGo) {
    attempts.GiveUp();
    return RefusedByGate(admission.kind);
  }
  auto response = transmitter_.Transmit(sending, &gate);
  attempts.tokens().OnOutcome(sending.request, response);
  internal::ReportToGate(&gate, admission.sent, response, attempts, observer_);
  return response;
}

Result<HttpResponse> ClientCore::Send(const Sending& sending) const {
  auto response = SendRaw(sending);
  if (response && response->status >= 300) return internal::ErrorFromResponse(*response);
  return response;
}

Result<HttpResponse> ClientCore::Exchange(const Call& call, const HttpRequest& request) const {
  const std::string invocation_id = NewInvocationId();
  return Retry(call, [&](Attempts& attempts) { return Send({request, invocation_id, attempts}); });
}

}  // namespace gcsflux
