#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

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
  [[nodiscard]] bool LookAtThrottling(ConnectionCount::TimePoint now);
  void Resize();

  const Client client_;
  const std::shared_ptr<RequestSlots> slots_;

  std::mutex resizing_mutex_;  // Only one thread at a time resizes, so that the last number holds.
  std::mutex mutex_;
  // Guarded by mutex_:
  ConnectionCount count_;
  int provisional_ = 0;          // Reads that were ignored.
  std::uint64_t throttled_ = 0;  // Throttled requests at the last look.
  bool is_engaged_ = false;
  ConnectionCount::TimePoint looked_ = {};
};

}  // namespace gcsflux::internal
