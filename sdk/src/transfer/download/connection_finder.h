#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/process/mutex.h"
#include "gcsflux/client.h"
#include "loop/request_slots.h"
#include "transfer/download/connection_count.h"

namespace gcsflux::internal {

/// Sets a Downloader's number of request slots to what ConnectionCount finds. Thread-safe.
class ConnectionFinder {
 public:
  /// The slots begin with ConnectionCount::First(most).
  ConnectionFinder(Client client, std::shared_ptr<RequestSlots> slots, std::size_t most);

  /// A read has succeeded; the thread that has read calls it. `is_provisional`: it is not yet known whether composites
  /// will replace such reads. The first such reads are ignored, because composites need fewer connections.
  void OnRead(std::uint64_t bytes, bool is_provisional);

 private:
  [[nodiscard]] bool LookAtThrottling(ConnectionCount::TimePoint now) REQUIRES(mutex_);
  void Resize();

  const Client client_;
  const std::shared_ptr<RequestSlots> slots_;

  Mutex resizing_mutex_;  // Only one thread at a time resizes, so that the last number holds.
  Mutex mutex_;
  ConnectionCount count_ GUARDED_BY(mutex_);
  int provisional_ GUARDED_BY(mutex_) = 0;          // Reads that were ignored.
  std::uint64_t throttled_ GUARDED_BY(mutex_) = 0;  // Throttled requests at the last look.
  bool is_engaged_ GUARDED_BY(mutex_) = false;
  ConnectionCount::TimePoint looked_ GUARDED_BY(mutex_) = {};
};

}  // namespace gcsflux::internal
