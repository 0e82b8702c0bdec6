#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/process/mutex.h"
#include "dataset/slowest_objects.h"
#include "gcsflux/dataset.h"

namespace gcsflux::internal {

/// Samples that are decoded and not yet claimed.
struct DecodedAhead {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;

  DecodedAhead& operator+=(const DecodedAhead& other) {
    samples += other.samples;
    bytes += other.bytes;
    return *this;
  }
  DecodedAhead& operator-=(const DecodedAhead& other) {
    samples -= other.samples;
    bytes -= other.bytes;
    return *this;
  }
};

/// Counts what a dataset has done so far. Thread-safe.
class DatasetTally {
 public:
  /// An object has arrived. `make_name` gives its name.
  template <class MakeName>
  void NoteArrival(std::chrono::nanoseconds took, std::uint64_t bytes, const MakeName& make_name) {
    const MutexLock lock(mutex_);
    slowest_.Note(took, bytes, make_name);
  }

  void NoteDecoding(std::chrono::nanoseconds took) {
    const MutexLock lock(mutex_);
    report_.decode_time += took;
  }

  void AddDecoded(const DecodedAhead& more) {
    const MutexLock lock(mutex_);
    decoded_ += more;
    report_.max_decoded_bytes = std::max(report_.max_decoded_bytes, decoded_.bytes);
  }
  void RemoveDecoded(const DecodedAhead& taken) {
    const MutexLock lock(mutex_);
    decoded_ -= taken;
  }

  void NoteWait(std::chrono::nanoseconds waited) {
    const MutexLock lock(mutex_);
    report_.wait_time += waited;
  }

  struct TakenBatch {
    std::optional<std::uint64_t> epoch = {};  ///< Nothing if it was requested beside the order.
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
  };
  void NoteBatch(const TakenBatch& batch) {
    const MutexLock lock(mutex_);
    if (batch.epoch && IsNew(*batch.epoch)) ++report_.epochs;
    ++report_.batches;
    if (!batch.epoch) ++report_.unannounced_batches;
    report_.samples += batch.samples;
    report_.bytes += batch.bytes;
  }

  /// Returns false if `most` other objects were skipped before: then this one must not be skipped. An object counts
  /// once, even if several epochs skip it.
  bool Skip(std::uint64_t most, const ReportedObject& object) {
    constexpr std::size_t kNamed = 10;
    const MutexLock lock(mutex_);
    if (skipped_.contains(object.name)) return true;
    if (skipped_.size() >= most) return false;
    skipped_.insert(object.name);
    report_.skipped = skipped_.size();
    if (report_.skipped_objects.size() < kNamed) report_.skipped_objects.push_back(object);
    return true;
  }

  /// The part of the report that is counted here.
  [[nodiscard]] DatasetReport report() const {
    const MutexLock lock(mutex_);
    DatasetReport report = report_;
    report.slowest = slowest_.objects();
    report.decoded_samples = decoded_.samples;
    report.decoded_bytes = decoded_.bytes;
    return report;
  }

 private:
  bool IsNew(std::uint64_t epoch) REQUIRES(mutex_) {
    const auto behind = epochs_.upper_bound(epoch);
    if (behind != epochs_.begin()) {
      auto& last = std::prev(behind)->second;
      if (epoch <= last) return false;
      if (epoch == last + 1) return last = epoch, true;
    }
    return epochs_.emplace(epoch, epoch).second;
  }

  mutable LeafMutex mutex_;
  DatasetReport report_ GUARDED_BY(mutex_);
  SlowestObjects slowest_ GUARDED_BY(mutex_);
  std::set<std::string> skipped_ GUARDED_BY(mutex_);  // Names.
  DecodedAhead decoded_ GUARDED_BY(mutex_);
  // First to last of consecutive ones that were begun.
  std::map<std::uint64_t, std::uint64_t> epochs_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
