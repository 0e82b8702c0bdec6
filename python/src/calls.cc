#include "calls.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Python handles signals in this thread only. After fork() it is the one that called it.
bool IsMainThread() { return gettid() == getpid(); }

}  // namespace

// The calls of this process. A child of fork() has its own: those of the parent's threads do not run in it.
class Calls {
 public:
  /// False if the interpreter ends, and this is a thread that may not wait for the lock any more.
  bool Begin() {
    const std::scoped_lock lock(mutex_);
    if (is_closing_ && !IsMainThread()) return false;
    ++count_;
    return true;
  }

  void End() {
    const std::scoped_lock lock(mutex_);
    --count_;
    ended_.notify_all();
  }

  /// Before a thread takes the lock again: one that comes too late for that never returns. Python would end it, and so
  /// the process, since C++ cannot be left in this way.
  void StayIfTooLate() {
    std::unique_lock lock(mutex_);
    while (is_over_ && !IsMainThread()) ended_.wait(lock);
  }

  void StopAll() {
    std::unique_lock lock(mutex_);
    is_closing_ = true;
    lock.unlock();
    at_exit_.request_stop();
    lock.lock();
    ended_.wait_for(lock, 2s, [this] { return count_ == 0; });
    is_over_ = true;
  }

  [[nodiscard]] std::stop_token at_exit() const { return at_exit_.get_token(); }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  int count_ = 0;            // Guarded by mutex_, as are these.
  bool is_closing_ = false;  // Threads may not begin calls.
  bool is_over_ = false;     // Nor take the lock.
  std::stop_source at_exit_;
};

namespace {

// Never destroyed: threads may use it until the process ends.
Calls* calls_of_process = new Calls;

class CallInProgress {
 public:
  CallInProgress() {
    if (!calls_.Begin()) {
      Raise({ErrorCode::kCancelled, "the interpreter ends: only its main thread may begin a call"});
    }
  }
  ~CallInProgress() { calls_.End(); }
  CallInProgress(const CallInProgress&) = delete;
  CallInProgress& operator=(const CallInProgress&) = delete;

  [[nodiscard]] std::stop_token at_exit() const { return calls_.at_exit(); }

 private:
  Calls& calls_ = *calls_of_process;
};

void StopCalls() {
  const nb::gil_scoped_release unlocked;  // The calls need it to end.
  calls_of_process->StopAll();
}

// A thread that runs work, and the thread that waits for it.
class WatchedWork {
 public:
  explicit WatchedWork(const std::function<void()>& work) : thread_([this, &work] { Run(work); }) {}
  ~WatchedWork() { thread_.join(); }
  WatchedWork(const WatchedWork&) = delete;
  WatchedWork& operator=(const WatchedWork&) = delete;

  /// True when the work has ended; false after `most`.
  bool WaitFor(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, most, [this] { return is_done_; });
  }

  /// What the work threw, after its end.
  [[nodiscard]] const std::exception_ptr& exception() const { return exception_; }

 private:
  void Run(const std::function<void()>& work) {
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    exception_ = thrown;
    is_done_ = true;
    ended_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_done_ = false;  // Guarded by mutex_, as is this.
  std::exception_ptr exception_;
  std::thread thread_;
};

void Watch(WatchedWork& work, std::stop_source& source) {
  bool is_interrupted = false;
  for (;;) {
    {
      const nb::gil_scoped_release unlocked;
      if (work.WaitFor(20ms)) break;
    }
    if (is_interrupted || PyErr_CheckSignals() == 0) continue;
    is_interrupted = true;
    source.request_stop();
  }
  if (is_interrupted) throw nb::python_error();
  if (work.exception()) std::rethrow_exception(work.exception());
}

}  // namespace

void RunUnlocked(std::stop_source& source, const std::function<void()>& work) {
  const CallInProgress call;
  const std::stop_callback stop_at_exit(call.at_exit(), [&source] { source.request_stop(); });
  std::optional<WatchedWork> watched;
  if (IsMainThread()) {
    try {
      watched.emplace(work);
    } catch (const std::system_error&) {
      // The system starts no thread: signals wait until the work has ended.
    }
  }
  if (watched) return Watch(*watched, source);
  const Unlocked unlocked;
  work();
}

Unlocked::Unlocked() : calls_(*calls_of_process), may_wait_(calls_.Begin()) {
  if (may_wait_) state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  if (!may_wait_) return;
  calls_.StayIfTooLate();
  PyEval_RestoreThread(state_);
  calls_.End();
}

void ReleaseUnlocked(const std::function<void()>& release) {
  if (!nb::is_alive() || PyGILState_Check() == 0) return release();
  const Unlocked unlocked;
  release();
}

void StopCallsAtExit() {
  pthread_atfork(nullptr, nullptr, [] { calls_of_process = new Calls; });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(StopCalls));
}

}  // namespace gcsflux::python
