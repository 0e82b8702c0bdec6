#pragma once

#include <optional>

#include "http/http_message.h"
#include "operations/request_subject.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// Which scripts of other origins may read answers. The `cors` of the request's bucket decides:
/// https://cloud.google.com/storage/docs/cross-origin. Thread-safe.
class Cors {
 public:
  /// The store must outlive it.
  explicit Cors(const Store& store) : store_(store) {}

  /// The answer to a browser's question whether it may send a request, in either API. Nothing if the request is not
  /// such a question. A refusal is a 200 too, without the headers that would allow the request.
  std::optional<HttpResponse> AnswerPreflight(const HttpRequest& request, RequestSubject& subject) const;

  /// Adds the headers by which a browser shows the answer to the script that sent the request.
  void AddHeaders(const HttpRequest& request, const RequestSubject& subject, HttpResponse& response) const;

 private:
  const Store& store_;
};

}  // namespace gcsflux::emulator
