#pragma once

#include "gcsflux/emulator/clock.h"
#include "http/api_error.h"
#include "http/http_message.h"
#include "json_api/batch.h"

namespace gcsflux::emulator {

/// POST /batch/storage/v1: up to 100 calls of the JSON API in one request, https://cloud.google.com/storage/docs/batch.
/// Each is served, counted and recorded in the journal as if it had arrived alone. Once the answers have 32 MiB, the
/// other calls are not carried out, and answered with 503. Thread-safe.
class BatchEndpoint final : public RequestHandler {
 public:
  /// Calls, and every request that is not a batch, go to `next`. Both must outlive it.
  BatchEndpoint(RequestHandler& next, const Clock& clock) : next_(next), clock_(clock) {}

  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override;

 private:
  ApiResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body);
  HttpResponse Call(BatchCall call, const HttpRequest& outer);

  RequestHandler& next_;
  const Clock& clock_;
};

}  // namespace gcsflux::emulator
