#pragma once

#include <map>
#include <stop_token>

#include "base/process/mutex.h"
#include "gcsflux/client.h"

namespace gcsflux::internal {

/// The uncommitted uploads of a process's ObjectWriters. An upload is added before its first request, and removed
/// when nothing of it is left at the service. Thread-safe.
class LiveUploads {
 public:
  /// Those of this process; never destroyed. A child has none of its parent's.
  static LiveUploads& OfProcess();

  /// From now on there may be uploads to `target`; if it is temporary, also an object of that name. Returns kCancelled
  /// if DropAll() has begun: then do not begin the upload.
  Result<void> Add(const Client& client, const ObjectName& target, bool is_temporary);
  void Remove(const ObjectName& target);

  /// At the end of the process: refuses further uploads, and removes those that are there, until `stop` requests it.
  void DropAll(const std::stop_token& stop);

 private:
  struct Entry {
    Client client;
    bool is_temporary = false;
  };
  Mutex mutex_;
  bool is_closed_ GUARDED_BY(mutex_) = false;
  std::map<ObjectName, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
