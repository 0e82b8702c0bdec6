#pragma once

#include "http/api_error.h"
#include "http/http_message.h"
#include "retry_tests/retry_tests.h"

namespace gcsflux::emulator {

/// The endpoints where clients make retry tests: /retry_test and /retry_tests, as in Google's own test bench.
/// Thread-safe.
class RetryTestEndpoints final : public RequestHandler {
 public:
  /// A request for any other path goes to `next`. Both must outlive it.
  RetryTestEndpoints(RetryTests& tests, RequestHandler& next) : tests_(tests), next_(next) {}

  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override;

 private:
  ApiResult<HttpResponse> Answer(const HttpRequest& request, std::string_view path, RequestBody& body);
  ApiResult<HttpResponse> Make(RequestBody& body);

  RetryTests& tests_;
  RequestHandler& next_;
};

}  // namespace gcsflux::emulator
