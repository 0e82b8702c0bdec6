#include "loop/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "base/process/leaf_section.h"
#include "base/process/own_descriptors.h"
#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kMostFreeStacks = 64;
constexpr std::size_t kFreeStacksWhenIdle = 4;
constexpr std::size_t kMostEvents = 256;  // of one turn

constinit thread_local EventLoop* current_loop = nullptr;

Error NoDescriptor() {
  return {ErrorCode::kLocalIo, "no descriptor for an event loop (" + std::generic_category().message(errno) +
                                   "): raise the limit on open files (ulimit -n)"};
}

// Waits until the time, or without limit: in nanoseconds if the kernel can (5.11 and newer), otherwise in milliseconds.
int AwaitEpoll(int epoll, epoll_event* events, int capacity, std::optional<EventLoop::TimePoint> until) {
  if (!until) return ::epoll_wait(epoll, events, capacity, -1);
  using std::chrono::nanoseconds;
  const auto left = std::max(nanoseconds(0), nanoseconds(*until - std::chrono::steady_clock::now()));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
  const int count = ::epoll_pwait2(epoll, events, capacity, &time, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  constexpr std::chrono::milliseconds kMost{60'000};
  const auto wait = std::min(std::chrono::ceil<std::chrono::milliseconds>(left), kMost);
  return ::epoll_wait(epoll, events, capacity, static_cast<int>(wait.count()));
}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::Start(UserCodeThreads& user_code_threads) {
  std::unique_ptr<EventLoop> loop(new EventLoop(user_code_threads));
  if (auto opened = loop->Open(); !opened) return opened.error();
  auto thread = StartThread([self = loop.get()] { self->Run(); });
  if (!thread) return thread.error();
  loop->thread_ = *std::move(thread);
  return loop;
}

Result<void> EventLoop::Open() {
  free_stacks_.reserve(kMostFreeStacks + 1);
  reported_.reserve(kMostEvents);
  const LeafSection leaf;
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return NoDescriptor();
  AddOwnDescriptor(epoll_);
  wake_up_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_up_ < 0) return NoDescriptor();
  AddOwnDescriptor(wake_up_);
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_up_, &event) != 0) return NoDescriptor();
  return {};
}

EventLoop::~EventLoop() {
  if (thread_.joinable()) {
    {
      const MutexLock lock(mutex_);
      is_ending_ = true;
      static_cast<void>(::eventfd_write(wake_up_, 1));
    }
    thread_.join();
  }
  for (const int descriptor : {epoll_, wake_up_}) {
    if (descriptor >= 0) CloseOwnDescriptor(descriptor);
  }
}

EventLoop* EventLoop::Current() { return current_loop; }

void EventLoop::Spawn(std::function<void()> task) {
  const MutexLock lock(mutex_);
  posted_fibers_.reserve(tasks() + 1);  // MakeReady() needs no memory.
  posted_tasks_.push_back(std::move(task));
  tasks_.fetch_add(1, std::memory_order_relaxed);
  // Under the lock, because the loop may be destroyed as soon as it has taken the posted work.
  if (std::exchange(is_asleep_, false)) static_cast<void>(::eventfd_write(wake_up_, 1));
}

void EventLoop::MakeReady(Fiber& fiber) {
  if (current_loop == this) return ready_.push_back(&fiber);
  const MutexLock lock(mutex_);
  posted_fibers_.push_back(&fiber);
  if (std::exchange(is_asleep_, false)) static_cast<void>(::eventfd_write(wake_up_, 1));
}

void EventLoop::Run() {
  current_loop = this;
  while (TakePosted()) {
    BeginTasks();
    ResumeReady();
    Notify();
    RunTimers();  // libcurl asks for one that is due at once for each new request: that needs no turn of its own.
    AwaitEvents();
    RunTimers();
  }
}

// False if there is no work left, and none will come.
bool EventLoop::TakePosted() {
  const MutexLock lock(mutex_);
  is_asleep_ = false;
  if (new_.empty()) new_.swap(posted_tasks_);
  ready_.insert(ready_.end(), posted_fibers_.begin(), posted_fibers_.end());
  posted_fibers_.clear();
  return !is_ending_ || tasks() > 0;
}

// If there is no memory for a task, it waits for that of another task.
void EventLoop::BeginTasks() {
  while (!new_.empty() || !waiting_.empty()) {
    auto fiber = MakeFiber();
    if (!fiber) return;
    Resume(*fiber.release());  // Resume() deletes it.
  }
}

// Null if there is no memory. All that the loop needs for a running fiber is reserved before it begins.
std::unique_ptr<Fiber> EventLoop::MakeFiber() try {
  waiting_.insert(waiting_.end(), std::move_iterator(new_.begin()), std::move_iterator(new_.end()));
  new_.clear();
  ready_.reserve(tasks());
  running_.reserve(tasks());
  auto stack = TakeStack();
  if (!stack) return nullptr;
  auto fiber = std::make_unique<Fiber>(*std::move(stack), std::move(waiting_.front()));
  waiting_.pop_front();
  return fiber;
} catch (const std::bad_alloc&) {
  return nullptr;
}

std::optional<FiberStack> EventLoop::TakeStack() {
  if (free_stacks_.empty()) return FiberStack::Make();
  std::optional<FiberStack> stack = std::move(free_stacks_.back());
  free_stacks_.pop_back();
  return stack;
}

void EventLoop::ResumeReady() {
  running_.swap(ready_);
  for (Fiber* const fiber : running_) Resume(*fiber);
  running_.clear();
}

void EventLoop::Resume(Fiber& fiber) {
  fiber.Resume();
  if (!fiber.is_over()) return;
  free_stacks_.push_back(fiber.TakeStack());
  delete &fiber;
  const bool is_last = tasks_.fetch_sub(1, std::memory_order_relaxed) == 1;
  const std::size_t most = is_last ? kFreeStacksWhenIdle : kMostFreeStacks;
  while (free_stacks_.size() > most) free_stacks_.pop_back();
}

// The latest time of the next turn. Nothing means: when an event comes.
std::optional<EventLoop::TimePoint> EventLoop::NextTurn() {
  constexpr std::chrono::milliseconds kStackMayBeHad{20};
  const MutexLock lock(mutex_);
  const bool has_work = !ready_.empty() || !posted_tasks_.empty() || !posted_fibers_.empty();
  if (has_work || (is_ending_ && tasks() == 0)) return TimePoint();
  is_asleep_ = true;
  auto until = timers_.NextDue();
  if (!new_.empty() || !waiting_.empty()) {
    const auto retry = std::chrono::steady_clock::now() + kStackMayBeHad;
    until = std::min(until.value_or(retry), retry);
  }
  return until;
}

void EventLoop::AwaitEvents() {
  std::array<epoll_event, kMostEvents> events;
  const int count = AwaitEpoll(epoll_, events.data(), static_cast<int>(events.size()), NextTurn());
  for (int i = 0; i < count; ++i) {
    reported_.push_back(static_cast<Watched*>(events[static_cast<std::size_t>(i)].data.ptr));
  }
  for (std::size_t i = 0; i < reported_.size(); ++i) {
    const bool is_wake_up = events[i].data.ptr == nullptr;
    if (is_wake_up) DrainWakeUps();
    if (reported_[i] != nullptr) reported_[i]->OnEvents(events[i].events);
  }
  reported_.clear();
}

void EventLoop::DrainWakeUps() const {
  eventfd_t count = 0;
  static_cast<void>(::eventfd_read(wake_up_, &count));
}

void EventLoop::RunTimers() {
  if (!timers_.NextDue()) return;
  const auto now = std::chrono::steady_clock::now();
  while (LoopTimer* const timer = timers_.TakeDue(now)) timer->OnTime();
}

void EventLoop::NotifyAtEndOfTurn(const std::shared_ptr<std::condition_variable>& waited_for) {
  const bool is_known = std::find(to_notify_.begin(), to_notify_.end(), waited_for) != to_notify_.end();
  if (is_known) return;
  try {
    to_notify_.push_back(waited_for);
  } catch (const std::bad_alloc&) {
    waited_for->notify_all();
  }
}

void EventLoop::Notify() {
  for (const auto& waited_for : to_notify_) waited_for->notify_all();
  to_notify_.clear();
}

bool EventLoop::Watch(Watched& watched, std::uint32_t events) {
  if (watched.events_ == events) return true;
  epoll_event event{.events = events, .data = {.ptr = &watched}};
  const int change = watched.events_ == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  const bool is_done = ::epoll_ctl(epoll_, change, watched.descriptor_, &event) == 0;
  watched.events_ = is_done ? events : 0;
  return is_done;
}

void EventLoop::Forget(Watched& watched, bool is_closed) {
  if (watched.events_ != 0 && !is_closed) {
    static_cast<void>(::epoll_ctl(epoll_, EPOLL_CTL_DEL, watched.descriptor_, nullptr));
  }
  watched.events_ = 0;
  std::replace(reported_.begin(), reported_.end(), &watched, static_cast<Watched*>(nullptr));
}

}  // namespace gcsflux::internal
