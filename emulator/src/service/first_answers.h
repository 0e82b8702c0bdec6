#pragma once

#include <chrono>

#include "bodies/fingerprinted_body.h"
#include "http/http_message.h"
#include "operations/request_subject.h"
#include "service/answer_memory.h"
#include "service/service.h"

namespace gcsflux::emulator {

/// Stands before the service and answers a repeated request with its first answer. Token
/// (x-goog-gcs-idempotency-token), caller, method, bucket, target, and the headers that say what to do, identify it.
/// A request that differs in one of them is another one. One that differs in its body alone is refused with 400.
/// Thread-safe.
///
/// Only a change that was carried out is remembered. A request that was refused or failed has changed nothing, and may
/// end differently the next time. A 308 is not remembered either, because a session's bytes are never appended twice
/// and its state changes. Of two requests at the same time, one is carried out.
class FirstAnswers final {
 public:
  /// Both must outlive it.
  FirstAnswers(Service& service, AnswerMemory& memory) : service_(service), memory_(memory) {}

  /// As Service::Handle(). `sent` is what the client sends, and `body` what the service reads of it: a fault plan may
  /// change bytes between them.
  HttpResponse Handle(const HttpRequest& request, const FingerprintedBody& sent, RequestBody& body,
                      RequestSubject& subject);

 private:
  HttpResponse HandleKeyed(const std::string& key, const HttpRequest& request, const FingerprintedBody& sent,
                           RequestBody& body, RequestSubject& subject);

  Service& service_;
  AnswerMemory& memory_;
};

}  // namespace gcsflux::emulator
