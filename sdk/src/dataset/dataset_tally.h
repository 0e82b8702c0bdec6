#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/process/fork.h"
#include "dataset/slowest_objects.h"
#include "gcsflux/dataset_report.h"

namespace gcsflux::internal {

/// Counts what a dataset has done so far. Thread-safe.
class DatasetTally {
 public:
  /// An object has arrived. `make_name` gives its name.
  template <class MakeName>
  void NoteArrival(std::chrono::nanoseconds took, std::uint64_t bytes, const MakeName& make_name) {
    const std::scoped_lock lock(mutex_);
    slowest_.Note(took, bytes, make_name);
  }

  void NoteDecoding(std::chrono::nanoseconds took) {
    const std::scoped_lock lock(mutex_);
    report_.decode_time += took;
  }

  struct TakenBatch {
    std::uint64_t epoch = 0;
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    std::chrono::nanoseconds waited{0};
  };
  void NoteBatch(const TakenBatch& batch) {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(epoch_, batch.epoch) != batch.epoch) ++report_.epochs;
    ++report_.batches;
    report_.samples += batch.samples;
    report_.bytes += batch.bytes;
    report_.wait_time += batch.waited;
  }

  /// Returns false if `most` other objects were skipped before: then this one must not be skipped. An object counts
  /// once, even if several epochs skip it.
  bool Skip(std::uint64_t most, const SkippedObject& object) {
    constexpr std::size_t kNamed = 10;
    const std::scoped_lock lock(mutex_);
    if (skipped_.contains(object.name)) return true;
    if (skipped_.size() >= most) return false;
    skipped_.insert(object.name);
    report_.skipped = skipped_.size();
    if (report_.skipped_objects.size() < kNamed) report_.skipped_objects.push_back(object);
    return true;
  }

  /// The part of the report that is counted here.
  [[nodiscard]] DatasetReport report() const {
    const std::scoped_lock lock(mutex_);
    DatasetReport report = report_;
    report.slowest = slowest_.objects();
    return report;
  }

 private:
  mutable ForkSafeMutex mutex_;
  // Guarded by mutex_:
  DatasetReport report_;
  SlowestObjects slowest_;
  std::set<std::string> skipped_;       // Names.
  std::optional<std::uint64_t> epoch_;  // Of the last batch.
};

}  // namespace gcsflux::internal
