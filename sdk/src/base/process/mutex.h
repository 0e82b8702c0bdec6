#pragma once

#include <mutex>

#include "base/process/leaf_section.h"
#include "base/process/thread_annotations.h"

namespace gcsflux::internal {

/// A mutex whose data child processes can use too, because no thread holds it when one is made. For short sections that
/// wait for nothing and call no user code.
class CAPABILITY("mutex") LeafMutex {
 public:
  void lock() ACQUIRE() {
    LeafSection::Enter();
    mutex_.lock();
  }
  void unlock() RELEASE() {
    mutex_.unlock();
    LeafSection::Leave();
  }

 private:
  std::mutex mutex_;
};

}  // namespace gcsflux::internal
