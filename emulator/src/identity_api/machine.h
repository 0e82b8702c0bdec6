#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// The virtual machine that the metadata server describes. Thread-safe.
class Machine {
 public:
  /// Compute Engine is about to take the machine away, or not.
  [[nodiscard]] bool is_preempted() const { return is_preempted_; }
  void SetPreempted(bool is_preempted) { is_preempted_ = is_preempted; }

 private:
  std::atomic<bool> is_preempted_ = false;
};

/// {"preempted": true}. Throws std::invalid_argument.
bool ParseMachine(std::string_view json);
std::string RenderMachine(const Machine& machine);

}  // namespace gcsflux::emulator
