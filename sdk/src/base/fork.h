#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gcsflux/result.h"

/// What fork() does to a process with threads: the child has the memory as it was, and of the threads only the one that
/// has called fork(). A lock that another thread held then is never released there.
namespace gcsflux::internal {

/// Grows in each child of fork(), from 0 in the process that was started.
extern constinit std::atomic<std::uint64_t> fork_generation;
inline std::uint64_t ForkGeneration() { return fork_generation.load(std::memory_order_relaxed); }

/// Remembers the process that made it.
class ProcessMark {
 public:
  /// True in a child of the process that made it.
  [[nodiscard]] bool IsInChild() const { return generation_ != ForkGeneration(); }

 private:
  std::uint64_t generation_ = ForkGeneration();
};

/// What ends with the fork: `what` ("the read") was begun by the parent.
Error ForkedError(const char* what);

/// While a thread has one, fork() waits. So no child finds what it protects half written, or a lock held: that of
/// libcurl and OpenSSL, and our own. For short work that waits for nothing and calls no user code. One inside another
/// costs nothing.
class NoFork {
 public:
  NoFork() { Enter(); }
  ~NoFork() { Leave(); }
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;

  static void Enter();
  static void Leave();
};

/// Lets fork() happen, whatever NoFork the thread has: around user code, which may wait for a process that another
/// thread is about to make, or call fork() itself.
class ForkAllowed {
 public:
  ForkAllowed();
  ~ForkAllowed();
  ForkAllowed(const ForkAllowed&) = delete;
  ForkAllowed& operator=(const ForkAllowed&) = delete;

 private:
  const int depth_;
};

/// A mutex that no other thread holds at a fork(): what it guards is whole in the child, and can be used there. For
/// short sections that wait for nothing and call no user code.
class ForkSafeMutex {
 public:
  void lock() {
    NoFork::Enter();
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    NoFork::Leave();
  }

 private:
  std::mutex mutex_;
};

/// Calls `hook` in each child, before fork() returns there; it must be async-signal-safe. At most 8, each once.
void AtForkInChild(void (*hook)());

/// Keeps an object that must never be destroyed, so that no leak is reported.
void KeepForEver(const void* object);

/// Destroys an object in the process that made it only. In a child its locks may be held, and its threads are not
/// there: it stays for ever.
template <class T>
class DeleteInOwnProcess {
 public:
  void operator()(T* object) const {
    if (made_in_.IsInChild()) return KeepForEver(object);
    delete object;
  }

 private:
  ProcessMark made_in_;
};

template <class T>
std::shared_ptr<T> BoundToProcess(std::unique_ptr<T> object) {
  return std::shared_ptr<T>(object.release(), DeleteInOwnProcess<T>());
}

}  // namespace gcsflux::internal
