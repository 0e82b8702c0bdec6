#pragma once

#include "interventions/intervention.h"
#include "quotas/live_quotas.h"

namespace gcsflux::emulator {

/// Answers 429 to requests beyond the quotas. The answer depends on the cause, as GCS's does. Thread-safe.
class QuotaIntervener final : public Intervener {
 public:
  /// `quotas` must outlive it.
  explicit QuotaIntervener(LiveQuotas& quotas) : quotas_(quotas) {}

  [[nodiscard]] bool Concerns(const HttpRequest& /*request*/) const override { return quotas_.is_on(); }
  void Intervene(const Passage& passage, Interventions& interventions) override;

 private:
  LiveQuotas& quotas_;
};

}  // namespace gcsflux::emulator
