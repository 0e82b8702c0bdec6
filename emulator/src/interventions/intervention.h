#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "gcsflux/emulator/clock.h"
#include "http/http_message.h"
#include "interventions/request_preview.h"
#include "operations/fired_faults.h"
#include "operations/request_subject.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

/// One request on its way through the traffic layer. Good until it has been handled; an answer's filters outlive it.
struct Passage {
  const HttpRequest& request;
  const RequestPreview& preview;
  ResumableSessions& sessions;
  const Clock& clock;
  const std::stop_token& stop;  ///< The emulator stops: nobody waits any more.
  /// Where an intervention notes what it did, for the journal.
  std::shared_ptr<FiredFaults> fired = std::make_shared<FiredFaults>();
};

/// Something that is done to one request, beside serving it: a fault, a quota, a delay. The hooks are called in the
/// order of their declaration, by the connection's thread; what has to last until the answer is out is its filters'.
class Intervention {
 public:
  virtual ~Intervention() = default;

  /// Answers in place of the operation, which then does not run.
  virtual std::optional<HttpResponse> Before(const Passage& /*passage*/) { return std::nullopt; }

  /// What the operation reads in place of `body`, which outlives it; null leaves that as it is.
  virtual std::unique_ptr<RequestBody> Wrap(RequestBody& /*body*/, const Passage& /*passage*/) { return nullptr; }

  /// Changes the answer, whoever gave it. `subject` is what the request turned out to be.
  virtual void After(HttpResponse& /*response*/, const RequestSubject& /*subject*/, const Passage& /*passage*/) {}
};

using Interventions = std::vector<std::unique_ptr<Intervention>>;

/// Whoever may want to intervene. Thread-safe.
class Intervener {
 public:
  virtual ~Intervener() = default;

  /// Whether it may have something for the request. Asked of every request: as cheap as can be.
  [[nodiscard]] virtual bool Concerns(const HttpRequest& request) const = 0;

  /// Adds what is to be done to the request. Called once for each, in the order of arrival.
  virtual void Intervene(const Passage& passage, Interventions& interventions) = 0;
};

}  // namespace gcsflux::emulator
