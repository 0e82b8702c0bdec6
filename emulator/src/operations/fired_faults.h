#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gcsflux::emulator {

/// The faults that fired for one request, in order, and the object's bytes that they changed. It grows until the answer
/// is out. Thread-safe.
class FiredFaults {
 public:
  void Add(std::string name) {
    const std::scoped_lock lock(mutex_);
    names_.push_back(std::move(name));
  }
  [[nodiscard]] std::vector<std::string> Read() const {
    const std::scoped_lock lock(mutex_);
    return names_;
  }

  void AddChangedByte(std::uint64_t at) {
    const std::scoped_lock lock(mutex_);
    changed_.insert(at);
  }
  /// A second change of the same byte would restore it.
  [[nodiscard]] bool HasChangedByte(std::uint64_t at) const {
    const std::scoped_lock lock(mutex_);
    return changed_.contains(at);
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> names_;
  std::set<std::uint64_t> changed_;
};

}  // namespace gcsflux::emulator
