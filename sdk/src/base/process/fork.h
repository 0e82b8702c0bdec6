#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "gcsflux/result.h"

/// What fork() does to a process with threads: the child has the memory of that moment, but only the thread that called
/// fork(). A lock that another thread held is never released there.
namespace gcsflux::internal {

/// Increases in each child of fork(), from 0 in the process that was started.
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

/// The error of `what` ("the read"), which the parent began, in the child.
Error ForkedError(const char* what);

/// While a thread holds one, fork() waits. So in a child no protected data is half written and no lock is held: those
/// of libcurl, of OpenSSL and of this library. For short work that waits for nothing and calls no user code. A nested
/// one costs nothing.
class NoFork {
 public:
  NoFork() { Enter(); }
  ~NoFork() { Leave(); }
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;

  static void Enter();
  static void Leave();
};

/// Allows fork() in spite of the thread's NoFork: around user code, which may wait for a process that another thread
/// makes, or may call fork() itself.
class ForkAllowed {
 public:
  ForkAllowed();
  ~ForkAllowed();
  ForkAllowed(const ForkAllowed&) = delete;
  ForkAllowed& operator=(const ForkAllowed&) = delete;

 private:
  const int depth_;
};

/// A mutex that no other thread holds during fork(): the data that it guards is consistent in the child, and can be
/// used there. For short sections that wait for nothing and call no user code.
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

/// Calls `hook` in each child before fork() returns there. It must be async-signal-safe. At most 8 hooks; each is added
/// once.
void AtForkInChild(void (*hook)());

/// Keeps an object that must never be destroyed, so that leak checkers do not report it.
void NeverDestroy(const void* object);

/// Destroys an object only in the process that made it. In a child its locks may be held, and its threads do not exist:
/// there the object is never destroyed.
template <class T>
class DeleteInOwnProcess {
 public:
  void operator()(T* object) const {
    if (made_in_.IsInChild()) return NeverDestroy(object);
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
