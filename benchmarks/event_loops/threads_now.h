#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

namespace gcsflux::bench {

/// Threads of this process. Throws std::runtime_error if the system does not report them.
inline int ThreadsNow() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(line.find(':') + 1));
  }
  throw std::runtime_error("no number of threads");
}

}  // namespace gcsflux::bench
