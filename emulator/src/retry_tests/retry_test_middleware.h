#pragma once

#include "middleware/interceptor.h"
#include "retry_tests/retry_tests.h"

namespace gcsflux::emulator {

/// Applies the instructions of a retry test to the requests that name it in x-retry-test-id. Thread-safe.
class RetryTestMiddleware final : public Middleware {
 public:
  /// `tests` must outlive it.
  explicit RetryTestMiddleware(RetryTests& tests) : tests_(tests) {}

  [[nodiscard]] bool Concerns(const HttpRequest& request) const override;
  void Intercept(const RequestContext& context, Interceptors& interceptors) override;

 private:
  RetryTests& tests_;
};

}  // namespace gcsflux::emulator
