#pragma once

#include "interventions/intervention.h"
#include "shaping/live_shaping.h"

namespace gcsflux::emulator {

/// Lets answers begin as late, and bytes move as slowly, as the shaping says. What is answered in the service's place
/// is not delayed. Thread-safe.
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
