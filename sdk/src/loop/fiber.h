#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "loop/fiber_stack.h"

namespace gcsflux::internal {

/// A function with a stack of its own, which can stop in its middle and continue later. Blocking code runs on an event
/// loop this way: where a thread would wait, the fiber is suspended, and the loop resumes another one. Each fiber is
/// resumed by one thread only. It must not be suspended while it holds a mutex or a NoFork, nor inside a callback of a
/// C library.
class Fiber {
 public:
  /// `body` begins with the first Resume(), and throws nothing.
  Fiber(FiberStack stack, std::function<void()> body);
  /// Of a fiber that is over, or was never resumed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it suspends itself or returns. By the same thread each time; not from a fiber.
  void Resume();
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// The stack of a fiber that is over, for another one.
  FiberStack TakeStack();

  /// The fiber that runs on this thread; null outside of any.
  static Fiber* Current();
  /// Stops the current fiber: its Resume() returns.
  static void Suspend();

 private:
  struct Context;

  static void Run(unsigned high, unsigned low);

  FiberStack stack_;
  std::function<void()> body_;
  bool is_over_ = false;
  std::unique_ptr<Context> context_;
};

}  // namespace gcsflux::internal
