#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Increases in each child of fork(), from 0 in the process that was started.
extern constinit std::atomic<std::uint64_t> process_generation;
inline std::uint64_t ProcessGeneration() { return process_generation.load(std::memory_order_relaxed); }

/// The process that made an object. A child of fork() has a copy of the object's memory, but not its threads and
/// connections, and its locks may be held there for ever: the copy is neither used nor destroyed.
class OwnerProcess {
 public:
  /// False in a child.
  [[nodiscard]] bool IsCurrent() const { return generation_ == ProcessGeneration(); }
  /// For a child: the kForked of `what` ("the read"), which the owner began.
  [[nodiscard]] static Error Refuse(const char* what);

 private:
  std::uint64_t generation_ = ProcessGeneration();
};

/// Keeps an object that must never be destroyed, so that leak checkers do not report it.
void NeverDestroy(const void* object);

/// An object that only the process that made it destroys.
template <class T>
std::shared_ptr<T> OwnedByProcess(std::unique_ptr<T> object) {
  const auto destroy = [owner = OwnerProcess()](T* owned) {
    if (!owner.IsCurrent()) return NeverDestroy(owned);
    delete owned;
  };
  return std::shared_ptr<T>(object.release(), destroy);
}

}  // namespace gcsflux::internal
