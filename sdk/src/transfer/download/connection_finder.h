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

/// Has a Downloader's threads be as many as ConnectionCount finds. Thread-safe.
class ConnectionFinder {
 public:
  /// The threads are started with ConnectionCount::First(most).
  ConnectionFinder(Client client, std::shared_ptr<RequestSlots> slots, std::size_t most);

  /// A read has succeeded. Called by the thread that has read, still at work. Where it is being found out whether
  /// composites take the place of such reads, the first of them say nothing: composites need fewer connections.
  void OnRead(std::uint64_t bytes, bool is_provisional);

 private:
  [[nodiscard]] bool LookAtThrottling(ConnectionCount::TimePoint now);
  void Resize();

  const Client client_;
  const std::shared_ptr<RequestSlots> slots_;

  std::mutex resizing_mutex_;  // One thread at a time resizes, so that the last number stands.
  std::mutex mutex_;
  // Guarded by mutex_:
  ConnectionCount count_;
  int provisional_ = 0;          // Reads that were left out.
  std::uint64_t throttled_ = 0;  // Requests, when it was looked at them last.
  bool is_engaged_ = false;
  ConnectionCount::TimePoint looked_ = {};
};

}  // namespace gcsflux::internal
