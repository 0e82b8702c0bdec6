#pragma once

#include "interventions/intervention.h"
#include "retry_tests/retry_tests.h"

namespace gcsflux::emulator {

/// Applies the instructions of a retry test to the requests that name it in x-retry-test-id. Thread-safe.
class RetryTestIntervener final : public Intervener {
 public:
  /// `tests` must outlive it.
  explicit RetryTestIntervener(RetryTests& tests) : tests_(tests) {}

  [[nodiscard]] bool Concerns(const HttpRequest& request) const override;
  void Intervene(const Passage& passage, Interventions& interventions) override;

 private:
  RetryTests& tests_;
};

}  // namespace gcsflux::emulator
