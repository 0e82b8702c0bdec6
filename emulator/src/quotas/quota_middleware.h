#pragma once

#include "middleware/interceptor.h"
#include "quotas/live_quotas.h"

namespace gcsflux::emulator {

/// Answers 429 to requests beyond the quotas. The answer depends on the cause, as GCS's does. Thread-safe.
class QuotaMiddleware final : public Middleware {
 public:
  /// `quotas` must outlive it.
  explicit QuotaMiddleware(LiveQuotas& quotas) : quotas_(quotas) {}

  [[nodiscard]] bool Concerns(const HttpRequest& /*request*/) const override { return quotas_.is_on(); }
  void Intercept(const RequestContext& context, Interceptors& interceptors) override;

 private:
  LiveQuotas& quotas_;
};

}  // namespace gcsflux::emulator
