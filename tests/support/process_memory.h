#pragma once

#include <sys/types.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gcsflux::testing {

/// A figure of /proc/PID/status in bytes: "VmRSS" is the current resident memory, "VmHWM" its peak. Throws
/// std::runtime_error if it is missing.
inline std::uint64_t MemoryFigure(pid_t pid, std::string_view name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  throw std::runtime_error("no " + std::string(name) + " of process " + std::to_string(pid));
}

/// Resets VmHWM to VmRSS.
inline void ResetPeakMemory(pid_t pid) { std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5"; }

}  // namespace gcsflux::testing
