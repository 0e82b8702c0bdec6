#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "gcsflux/emulator/clock.h"
#include "http/http_message.h"
#include "middleware/request_preview.h"
#include "operations/fired_faults.h"
#include "operations/request_subject.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

/// One request on its way through the traffic layer. Valid until the request has been handled. An answer's filters
/// outlive it.
struct RequestContext {
  const HttpRequest& request;
  const RequestPreview& preview;
  ResumableSessions& sessions;
  const Clock& clock;
  const std::stop_token& stop;  ///< Set when the emulator stops: then nothing may wait any longer.
  /// Interceptors record here, for the journal, what they did.
  std::shared_ptr<FiredFaults> fired = std::make_shared<FiredFaults>();
};

/// Something that is done to one request in addition to serving it: a fault, a quota, a delay. The connection's thread
/// calls the hooks in the order of their declaration. Filters do what must last until the answer is out.
class Interceptor {
 public:
  virtual ~Interceptor() = default;

  /// Answers instead of the operation, which then does not run.
  virtual std::optional<HttpResponse> Before(const RequestContext& /*context*/) { return std::nullopt; }

  /// The body that the operation reads instead of `body`, which outlives it. Null leaves the body as it is.
  virtual std::unique_ptr<RequestBody> Wrap(RequestBody& /*body*/, const RequestContext& /*context*/) {
    return nullptr;
  }

  /// Changes the answer, also if another interceptor gave it. `subject` is what the request was found to be.
  virtual void After(HttpResponse& /*response*/, const RequestSubject& /*subject*/, const RequestContext& /*context*/) {
  }
};

using Interceptors = std::vector<std::unique_ptr<Interceptor>>;

/// A source of interceptors: a fault plan, the quotas, the delays. Thread-safe.
class Middleware {
 public:
  virtual ~Middleware() = default;

  /// Whether it may have an interceptor for the request. Called for every request, so it must be cheap.
  [[nodiscard]] virtual bool Concerns(const HttpRequest& request) const = 0;

  /// Adds its interceptors for the request. Called once for each request, in the order of arrival.
  virtual void Intercept(const RequestContext& context, Interceptors& interceptors) = 0;
};

}  // namespace gcsflux::emulator
