#pragma once

#include <map>
#include <mutex>
#include <stop_token>

#include "gcsflux/client.h"

namespace gcsflux::internal {

/// What the ParallelWriters of a process have in the service, or may have, and have not committed: entered before an
/// upload is begun, taken out once nothing of it is left. Thread-safe.
class LiveUploads {
 public:
  /// Those of this process; never destroyed. A child of fork() has none of its parent's.
  static LiveUploads& OfProcess();

  /// From now on uploads to `target` may be there; if it is temporary, an object of that name too. kCancelled once
  /// DropAll() has begun: then nothing must be begun.
  Result<void> Add(const Client& client, const ObjectName& target, bool is_temporary);
  void Remove(const ObjectName& target);

  /// At the end of the process: lets no more in, and removes what there is, until it is asked to stop.
  void DropAll(const std::stop_token& stop);

 private:
  struct Entry {
    Client client;
    bool is_temporary = false;
  };
  std::mutex mutex_;
  bool is_closed_ = false;               // Guarded by mutex_.
  std::map<ObjectName, Entry> entries_;  // Guarded by mutex_.
};

}  // namespace gcsflux::internal
