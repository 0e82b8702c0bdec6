#pragma once

#include <atomic>
#include <stdexcept>

namespace gcsflux::emulator {

/// Ends a request that takes long when its server stops.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("the emulator stops") {}
};

namespace internal {
inline thread_local const std::atomic<bool>* is_interrupted = nullptr;
}  // namespace internal

/// While it exists, setting the flag interrupts what this thread does. A thread may have one at a time.
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>& flag) { internal::is_interrupted = &flag; }
  ~Interruptible() { internal::is_interrupted = nullptr; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// Code calls it every few milliseconds if it takes longer than a moment without reading from a client or writing to
/// one. Reading and writing end by themselves. It costs next to nothing.
inline void ThrowIfInterrupted() {
  const std::atomic<bool>* flag = internal::is_interrupted;
  if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace gcsflux::emulator
