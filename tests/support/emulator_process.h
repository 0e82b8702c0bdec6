#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gcsflux::testing {

/// `gcsflux-emulator` as a child process, so that its memory and CPU are not this process's. Started from the directory
/// of the running program; ends with this object.
class EmulatorProcess {
 public:
  /// `flags` of the program beside --port. Throws std::runtime_error if it does not start.
  explicit EmulatorProcess(std::vector<std::string> flags = {});
  ~EmulatorProcess();
  EmulatorProcess(const EmulatorProcess&) = delete;
  EmulatorProcess& operator=(const EmulatorProcess&) = delete;

  /// "http://127.0.0.1:PORT", or https if the flags name a certificate.
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  std::string endpoint_;
};

}  // namespace gcsflux::testing
