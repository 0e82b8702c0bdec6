#include "loop/run_at_once.h"

#include <cstddef>
#include <exception>
#include <new>
#include <stop_token>
#include <utility>

#include "base/process/mutex.h"
#include "loop/wait_list.h"

namespace gcsflux::internal {
namespace {

using Task = std::function<void()>;

class RunningTasks {
 public:
  void Run(const Task& task) try { task(); } catch (...) {
    const MutexLock lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }

  /// False if there is no loop or no memory for the task.
  bool TrySpawn(EventLoops& loops, const Task& task) {
    if (loops.size() == 0) return false;
    Add();
    try {
      loops.Spawn([this, &task] {
        Run(task);
        Remove();
      });
    } catch (const std::bad_alloc&) {
      Remove();
      return false;
    }
    return true;
  }

  void Await() {
    MutexLock lock(mutex_);
    (void)ended_.Wait(lock, std::stop_token(), [&]() REQUIRES(mutex_) { return spawned_ == 0; });
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  void Add() {
    const MutexLock lock(mutex_);
    ++spawned_;
  }
  // Notifies under the lock, so that Await() does not return and destroy this meanwhile.
  void Remove() {
    const MutexLock lock(mutex_);
    --spawned_;
    ended_.NotifyAll();
  }

  Mutex mutex_;
  WaitList ended_;
  std::size_t spawned_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);
};

}  // namespace

void RunAtOnce(EventLoops& loops, const std::vector<Task>& tasks) {
  RunningTasks running;
  std::size_t begun = 1;
  while (begun < tasks.size() && running.TrySpawn(loops, tasks[begun])) ++begun;
  if (!tasks.empty()) running.Run(tasks.front());
  for (std::size_t i = begun; i < tasks.size(); ++i) running.Run(tasks[i]);
  running.Await();
}

}  // namespace gcsflux::internal
