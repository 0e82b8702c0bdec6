#pragma once

#include <mutex>
#include <type_traits>

#include "base/process/leaf_section.h"
#include "base/process/thread_annotations.h"

namespace gcsflux::internal {

/// A std::mutex. For data that child processes do not use: conditions may wait with it, and it may be held for long.
class CAPABILITY("mutex") Mutex {
 public:
  using Native = std::mutex;

  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  [[nodiscard]] Native& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

/// A mutex whose data child processes can use too, because no thread holds it when one is made. For short sections that
/// wait for nothing and call no user code.
class CAPABILITY("mutex") LeafMutex {
 public:
  using Native = LeafMutex;

  void lock() ACQUIRE() {
    LeafSection::Enter();
    mutex_.lock();
  }
  void unlock() RELEASE() {
    mutex_.unlock();
    LeafSection::Leave();
  }
  [[nodiscard]] Native& native() { return *this; }

 private:
  std::mutex mutex_;
};

/// A std::unique_lock that Clang's analysis knows. Conditions wait with that of a Mutex, a WaitList with either.
template <class M>
class SCOPED_CAPABILITY CAPABILITY("lock") MutexLock {
 public:
  explicit MutexLock(M& mutex) ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~MutexLock() RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() ACQUIRE() { lock_.lock(); }
  void unlock() RELEASE() { lock_.unlock(); }
  // Implicit: std::condition_variable takes nothing else.
  operator std::unique_lock<std::mutex>&() requires std::is_same_v<M, Mutex> { return lock_; }

 private:
  std::unique_lock<typename M::Native> lock_;
};

}  // namespace gcsflux::internal
