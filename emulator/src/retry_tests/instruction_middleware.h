#pragma once

#include "middleware/interceptor.h"

namespace gcsflux::emulator {

/// Does to a request what its own header x-goog-emulator-instructions (or x-goog-testbench-instructions) asks for.
/// Thread-safe; keeps no state.
class InstructionMiddleware final : public Middleware {
 public:
  [[nodiscard]] bool Concerns(const HttpRequest& request) const override;
  void Intercept(const RequestContext& context, Interceptors& interceptors) override;
};

}  // namespace gcsflux::emulator
