#include "loop/user_code_threads.h"

#include <exception>
#include <utility>

#include "base/process/owner_process.h"
#include "base/process/start_thread.h"
#include "loop/event_loop.h"
#include "loop/pause.h"

namespace gcsflux::internal {

void UserCodeThreads::Run(UserCode what, const std::function<void()>& call) {
  Pause pause;
  std::exception_ptr thrown;
  Pool& pool = what == UserCode::kIsTold ? told_ : what == UserCode::kMayWait ? waiting_ : disk_;
  const bool is_posted = pool.Post([&] {
    const OwnerProcess owner;
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
    if (!owner.IsCurrent()) return;  // The fiber is the parent's.
    pause.Wake();
  });
  if (!is_posted) return call();
  pause.Wait();
  if (thrown) std::rethrow_exception(thrown);
}

UserCodeThreads::Pool::~Pool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

bool UserCodeThreads::Pool::Post(std::function<void()> job) {
  {
    const MutexLock lock(mutex_);
    if (idle_ <= jobs_.size() && threads_.size() < kMostThreads) {
      auto thread = StartThread([this](const std::stop_token& stop) { Serve(stop); });
      if (thread) threads_.push_back(*std::move(thread));
    }
    if (threads_.empty()) return false;
    jobs_.push_back(std::move(job));
  }
  has_work_.notify_one();  // Without the lock, for which the thread would only wait.
  return true;
}

void UserCodeThreads::Pool::Serve(const std::stop_token& stop) {
  const OwnerProcess owner;
  MutexLock lock(mutex_);
  while (true) {
    ++idle_;
    const bool has_job = has_work_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !jobs_.empty(); });
    --idle_;
    if (!has_job) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    if (!owner.IsCurrent()) return;  // The mutex may be held by a thread that does not exist here.
    lock.lock();
  }
}

void RunUserCode(UserCode what, const std::function<void()>& call) {
  if (Fiber::Current() == nullptr) return call();
  EventLoop::Current()->user_code_threads().Run(what, call);
}

}  // namespace gcsflux::internal
