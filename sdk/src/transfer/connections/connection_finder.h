#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/process/mutex.h"
#include "gcsflux/client.h"
#include "transfer/connections/connection_count.h"

namespace gcsflux::internal {

/// Finds by ConnectionCount how many requests of a class a client should have in flight. Thread-safe.
class ConnectionFinder {
 public:
  /// Sets the number. Called by one thread at a time; the last number comes last.
  using Resize = std::function<void(std::size_t number)>;

  /// Begins with ConnectionCount::First(most), which is not passed to `resize`.
  ConnectionFinder(const Client& client, GateClass gate_class, std::size_t most, Resize resize);

  /// A request of so many bytes has succeeded, while `in_flight` were in flight, with itself. The thread that has sent
  /// it calls this.
  void OnDone(std::uint64_t bytes, std::size_t in_flight);

 private:
  [[nodiscard]] bool LookAtThrottling(ConnectionCount::TimePoint now) REQUIRES(mutex_);

  const Client client_;
  const GateClass gate_class_;
  const Resize resize_;

  Mutex resizing_mutex_;  // Only one thread at a time resizes, so that the last number holds.
  Mutex mutex_;
  ConnectionCount count_ GUARDED_BY(mutex_);
  std::uint64_t throttled_ GUARDED_BY(mutex_) = 0;  // Throttled requests at the last look.
  bool is_engaged_ GUARDED_BY(mutex_) = false;
  ConnectionCount::TimePoint looked_ GUARDED_BY(mutex_) = {};
};

}  // namespace gcsflux::internal
