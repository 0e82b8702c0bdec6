#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gcsflux::emulator {

/// What was done to one request, in its order: known bit by bit, until its answer is out. Thread-safe.
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
