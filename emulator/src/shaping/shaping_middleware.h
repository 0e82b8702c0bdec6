#pragma once

#include "middleware/interceptor.h"
#include "shaping/live_shaping.h"

namespace gcsflux::emulator {

/// Delays answers, and slows down bodies, as the shaping says. Answers that do not come from the service are not
/// delayed. Thread-safe.
class ShapingMiddleware final : public Middleware {
 public:
  /// `shaping` must outlive it.
  explicit ShapingMiddleware(LiveShaping& shaping) : shaping_(shaping) {}

  [[nodiscard]] bool Concerns(const HttpRequest& /*request*/) const override { return shaping_.is_on(); }
  void Intercept(const RequestContext& context, Interceptors& interceptors) override;

 private:
  LiveShaping& shaping_;
};

}  // namespace gcsflux::emulator
