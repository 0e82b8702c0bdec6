#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "loop/fiber_stack.h"

namespace gcsflux::internal {

/// A function with a stack of its own, which can stop in its middle and continue later. Blocking code runs on an event
/// loop this way: where a thread would wait, the fiber is suspended, and the loop resumes another one. Each fiber is
/// resumed by one thread only. It must not be suspended while it holds a mutex or is in a LeafSection, nor inside a
/// callback of a C library.
class Fiber {
 public:
  /// `body` begins with the first Resume(). It does not throw. If this throws, because there is no memory, `body` is as
  /// it was.
  Fiber(FiberStack stack, std::function<void()>&& body);
  /// For a fiber that has ended, or was never resumed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it suspends itself or returns. Always call it on the same thread, and not on a fiber.
  void Resume();
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// Takes the stack of an ended fiber, for another one.
  FiberStack TakeStack();

  /// The fiber that runs on this thread. Null outside of fibers.
  static Fiber* Current();
  /// Stops the current fiber: its Resume() returns.
  static void Suspend();

 private:
  struct Context;

  void Run();

  std::unique_ptr<Context> context_;  // First: what throws comes before the body is taken.
  FiberStack stack_;
  std::function<void()> body_;
  bool is_over_ = false;
};

}  // namespace gcsflux::internal
