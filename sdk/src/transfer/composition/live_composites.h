#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <vector>

#include "transfer/composition/composite.h"

namespace gcsflux::internal {

/// The composites that a process has in the service, or may have: entered before the request that makes one is sent,
/// taken out once it is known to be gone. Thread-safe.
class LiveComposites {
 public:
  /// Those of this process; never destroyed. A child of fork() has none of its parent's.
  static LiveComposites& OfProcess();

  /// From now on the composite may be there. kCancelled once DeleteAll() has begun: then it must not be made.
  Result<void> Add(const Client& client, const ObjectName& composite);
  /// Its compose is no longer in flight.
  void Settle(const Composite& composite);
  void Remove(const ObjectName& composite);
  /// Gives up those whose names begin so: nobody is left to delete them.
  void RemoveAll(std::string_view prefix);
  [[nodiscard]] std::size_t size() const;

  /// At the end of the process: lets no more in, waits for composes in flight, and deletes all that is there, until it
  /// is asked to stop.
  void DeleteAll(const std::stop_token& stop);

 private:
  struct Entry {
    Client client;
    Composite composite;
    bool is_in_flight = true;
  };
  std::vector<Entry> AwaitAll(const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::condition_variable_any settled_;
  bool is_closed_ = false;               // Guarded by mutex_.
  std::map<ObjectName, Entry> entries_;  // Guarded by mutex_.
};

}  // namespace gcsflux::internal
