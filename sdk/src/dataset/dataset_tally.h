#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace gcsflux::internal {

/// What a dataset has done so far, counted. Thread-safe.
class DatasetTally {
 public:
  struct Counts {
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    std::uint64_t batches = 0;
    std::chrono::nanoseconds waited{0};
    std::chrono::nanoseconds decoded{0};
    std::uint64_t skipped = 0;
    std::vector<std::string> skipped_objects = {};  ///< The first ten: name and reason.
  };

  void NoteObject(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    ++counts_.samples;
    counts_.bytes += bytes;
  }
  void NoteDecoding(std::chrono::nanoseconds took) {
    const std::scoped_lock lock(mutex_);
    counts_.decoded += took;
  }
  void NoteBatch(std::chrono::nanoseconds waited) {
    const std::scoped_lock lock(mutex_);
    ++counts_.batches;
    counts_.waited += waited;
  }
  /// False where as many as `most` were skipped before: this one may not be.
  bool Skip(std::uint64_t most, const std::string& what) {
    constexpr std::size_t kNamed = 10;
    const std::scoped_lock lock(mutex_);
    if (counts_.skipped >= most) return false;
    ++counts_.skipped;
    if (counts_.skipped_objects.size() < kNamed) counts_.skipped_objects.push_back(what);
    return true;
  }
  [[nodiscard]] Counts counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;
  Counts counts_;  // Guarded by mutex_.
};

}  // namespace gcsflux::internal
