#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "errors.h"

// How Python calls the SDK: without Python's lock, and so that signals and the end of the interpreter stop a call.
namespace gcsflux::python {

class Calls;

/// Releases Python's lock as long as it exists. If the interpreter ends, a thread other than the main one keeps the
/// lock, because it could not take it again.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Calls& calls_;
  const bool may_wait_;
  PyThreadState* state_ = nullptr;
};

/// Runs `work` without Python's lock. In the main thread, where Python handles signals, another thread runs it, and the
/// main thread looks for signals every 20 ms. If a handler raises (KeyboardInterrupt), `source` stops the work, and the
/// exception is raised when the work has ended. So `work` must return soon after `source` is stopped.
///
/// When the interpreter ends, it stops the calls of the other threads, and waits for them for at most 2 s: a thread may
/// not take the lock after that. New calls of theirs raise CancelledError.
void RunUnlocked(std::stop_source& source, const std::function<void()>& work);

/// Runs work(stop), which returns a Result, and returns its value or raises its error.
template <class Work>
auto CallWith(std::stop_source& source, const Work& work) {
  std::optional<std::invoke_result_t<Work, std::stop_token>> outcome;
  RunUnlocked(source, [&] { outcome.emplace(work(source.get_token())); });
  return ValueOf(*std::move(outcome));
}

/// The same for a call that can be stopped alone.
template <class Work>
auto Call(const Work& work) {
  std::stop_source source;
  return CallWith(source, work);
}

/// For what may wait in a destructor: without the lock, if this thread has it.
void ReleaseUnlocked(const std::function<void()>& release);

/// Lets the interpreter stop calls when it ends. Once, when the module is imported.
void StopCallsAtExit();

}  // namespace gcsflux::python
