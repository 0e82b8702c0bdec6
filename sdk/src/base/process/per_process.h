#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"

namespace gcsflux::internal {

/// One T for each process: a child of fork() makes its own T at the first use, and never changes the parent's.
/// Thread-safe.
template <class T>
class PerProcess {
 public:
  /// Makes a T from the parent's, or from null. It may read what no other thread wrote during fork().
  using Make = std::function<std::unique_ptr<T>(const T* of_parent)>;

  explicit PerProcess(Make make) : make_(std::move(make)), held_(OwnedByProcess(make_(nullptr))), now_(held_.get()) {}
  /// The same T in every process: for objects that do not depend on the process.
  explicit PerProcess(std::shared_ptr<T> only) : held_(std::move(only)), now_(held_.get()) {}
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  /// Lives as long as this object, in the child too.
  T& Get() const {
    if (process_.load(std::memory_order_acquire) != ProcessGeneration()) Renew();
    return *now_.load(std::memory_order_relaxed);
  }
  /// The same, shared.
  std::shared_ptr<T> Share() const {
    static_cast<void>(Get());
    const MutexLock lock(mutex_);
    return held_;
  }

 private:
  void Renew() const {
    const MutexLock lock(mutex_);
    if (process_.load(std::memory_order_relaxed) == ProcessGeneration()) return;
    if (make_) held_ = OwnedByProcess(make_(held_.get()));
    now_.store(held_.get(), std::memory_order_relaxed);
    process_.store(ProcessGeneration(), std::memory_order_release);
  }

  const Make make_;
  mutable LeafMutex mutex_;
  mutable std::shared_ptr<T> held_ GUARDED_BY(mutex_);
  mutable std::atomic<T*> now_;
  mutable std::atomic<std::uint64_t> process_ = ProcessGeneration();
};

}  // namespace gcsflux::internal
