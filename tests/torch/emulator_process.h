#pragma once

#include <sys/types.h>

#include <string>

namespace gcsflux {

/// The gcsflux-emulator program as a child, so that what it stores is not this process's memory.
class EmulatorProcess {
 public:
  EmulatorProcess();
  ~EmulatorProcess();
  EmulatorProcess(const EmulatorProcess&) = delete;
  EmulatorProcess& operator=(const EmulatorProcess&) = delete;

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  pid_t pid_ = 0;
  std::string endpoint_;
};

}  // namespace gcsflux
