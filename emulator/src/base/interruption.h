#pragma once

#include <atomic>
#include <stdexcept>

namespace gcsflux::emulator {

/// What a request that takes long ends with where its server stops.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("the emulator stops") {}
};

namespace internal {
inline thread_local const std::atomic<bool>* is_interrupted = nullptr;
}  // namespace internal

/// While it lives, what this thread does can be interrupted: by setting the flag. One at a time.
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>& flag) { internal::is_interrupted = &flag; }
  ~Interruptible() { internal::is_interrupted = nullptr; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// To be called every few milliseconds by whatever takes longer than a moment without reading from a client or writing
/// to one, which end by themselves. Costs next to nothing.
inline void ThrowIfInterrupted() {
  const std::atomic<bool>* flag = internal::is_interrupted;
  if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace gcsflux::emulator
