#pragma once

#include <atomic>
#include <mutex>

#include "base/time_source.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// Carries out what the clock brings: the lifecycle rules of buckets, and the end of what is soft-deleted. No thread
/// waits for it. It happens before a request is served, so that requests see what the time is. Thread-safe.
class Lifecycle {
 public:
  /// The store must outlive it.
  explicit Lifecycle(Store& store) : store_(store) {}

  /// Called before each request. If a minute of the emulator's time has passed since it was done, one of the callers
  /// does it, and the others go on; else it costs a comparison.
  void CatchUp();

 private:
  void ApplyRules(Bucket& bucket) const;

  Store& store_;
  std::atomic<Time::rep> next_ = 0;
  std::mutex running_;
};

}  // namespace gcsflux::emulator
