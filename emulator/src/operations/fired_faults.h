#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gcsflux::emulator {

/// The faults that fired for one request, in order. It grows until the answer is out. Thread-safe.
class FiredFaults {
 public:
  void Add(std::string name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(std::move(name));
  }
  [[nodiscard]] std::vector<std::string> Read() const {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> names_;
};

}  // namespace gcsflux::emulator
