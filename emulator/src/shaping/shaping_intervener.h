#pragma once

#include "interventions/intervention.h"
#include "shaping/live_shaping.h"

namespace gcsflux::emulator {

/// Delays answers, and slows down bodies, as the shaping says. Answers that do not come from the service are not
/// delayed. Thread-safe.
class ShapingIntervener final : public Intervener {
 public:
  /// `shaping` must outlive it.
  explicit ShapingIntervener(LiveShaping& shaping) : shaping_(shaping) {}

  [[nodiscard]] bool Concerns(const HttpRequest& /*request*/) const override { return shaping_.is_on(); }
  void Intervene(const Passage& passage, Interventions& interventions) override;

 private:
  LiveShaping& shaping_;
};

}  // namespace gcsflux::emulator
