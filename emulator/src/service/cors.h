#pragma once

#include <optional>

#include "http/http_message.h"
#include "operations/request_subject.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// Which scripts of other origins may read answers, by the `cors` of the bucket that a request is about:
/// https://cloud.google.com/storage/docs/cross-origin. Thread-safe.
class Cors {
 public:
  /// The store must outlive it.
  explicit Cors(const Store& store) : store_(store) {}

  /// The answer to a browser's question whether it may send a request, in either API; nothing where the request is no
  /// such question. It is a 200 also where it may not, without the headers that would allow it.
  std::optional<HttpResponse> AnswerPreflight(const HttpRequest& request, RequestSubject& subject) const;

  /// Adds to an answer what lets a browser show it to the script that sent the request.
  void AddHeaders(const HttpRequest& request, const RequestSubject& subject, HttpResponse& response) const;

 private:
  const Store& store_;
};

}  // namespace gcsflux::emulator
