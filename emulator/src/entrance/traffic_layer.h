#pragma once

#include <stop_token>
#include <vector>

#include "bodies/fingerprinted_body.h"
#include "gcsflux/emulator/clock.h"
#include "http/http_message.h"
#include "middleware/interceptor.h"
#include "operations/request_subject.h"
#include "service/first_answers.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

/// Stands before the service, which remembers its first answers. The middleware does to requests what a real network
/// and a busy service do. Thread-safe.
class TrafficLayer final {
 public:
  /// All of them must outlive it. The answers of earlier middleware pass through the later ones.
  TrafficLayer(FirstAnswers& service, ResumableSessions& sessions, const Clock& clock,
               std::vector<Middleware*> middleware)
      : service_(service), sessions_(sessions), clock_(clock), middleware_(std::move(middleware)) {}

  /// As Service::Handle().
  HttpResponse Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject);

  /// Ends all waiting, for good.
  void Stop() { stop_.request_stop(); }

 private:
  HttpResponse HandleWithInterceptors(const HttpRequest& request, FingerprintedBody& sent, RequestSubject& subject);

  FirstAnswers& service_;
  ResumableSessions& sessions_;
  const Clock& clock_;
  const std::vector<Middleware*> middleware_;
  std::stop_source stop_;
};

}  // namespace gcsflux::emulator
