#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <stop_token>
#include <string_view>
#include <vector>

#include "base/process/mutex.h"
#include "transfer/composition/composite.h"

namespace gcsflux::internal {

/// The composites that this process has in the service, or may have. A composite is added before the request that makes
/// it is sent, and removed when it is known to be deleted. Thread-safe.
class LiveComposites {
 public:
  /// The instance of this process; never destroyed. A child has none of its parent's composites.
  static LiveComposites& OfProcess();

  /// The composite may exist from now on. Returns kCancelled if DeleteAll() has begun: then it must not be made.
  Result<void> Add(const Client& client, const ObjectName& composite);
  /// Its compose is no longer in flight.
  void Settle(const Composite& composite);
  void Remove(const ObjectName& composite);
  /// Removes the composites whose names begin with `prefix`, because no part of the process will delete them.
  void RemoveAll(std::string_view prefix);
  [[nodiscard]] std::size_t size() const;

  /// At the end of the process: accepts no more composites, waits for composes in flight, and deletes all composites,
  /// until it is asked to stop.
  void DeleteAll(const std::stop_token& stop);

 private:
  struct Entry {
    Client client;
    Composite composite;
    bool is_in_flight = true;
  };
  std::vector<Entry> AwaitAll(const std::stop_token& stop);

  mutable Mutex mutex_;
  std::condition_variable_any settled_;
  bool is_closed_ GUARDED_BY(mutex_) = false;
  std::map<ObjectName, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
