#pragma once

#include "interventions/intervention.h"

namespace gcsflux::emulator {

/// Does to a request what its own header x-goog-emulator-instructions (or x-goog-testbench-instructions) asks for.
/// Thread-safe; keeps no state.
class InstructionIntervener final : public Intervener {
 public:
  [[nodiscard]] bool Concerns(const HttpRequest& request) const override;
  void Intervene(const Passage& passage, Interventions& interventions) override;
};

}  // namespace gcsflux::emulator
