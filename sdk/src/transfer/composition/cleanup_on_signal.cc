// InstallCompositeCleanup: a signal handler may do very little, so it wakes a thread, which does the work.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/process/fork.h"
#include "base/process/mutex.h"
#include "base/process/own_descriptors.h"
#include "base/process/run_with_time_limit.h"
#include "base/process/start_thread.h"
#include "gcsflux/download.h"
#include "transfer/composition/live_composites.h"
#include "transfer/upload/live_uploads.h"

namespace gcsflux {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};
constexpr std::chrono::seconds kPatience{5};

// Used by the handler: lock-free, and set before the handler is installed.
std::atomic<int> told_fd = -1;
std::atomic<bool> is_told = false;
std::atomic<pid_t> installed_in = 0;
std::array<struct sigaction, kSignals.size()> before = {};

void Restore(int signal) {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) sigaction(signal, &before[i], nullptr);
  }
}

// Async-signal-safe, because sigaction(), raise() and write() are.
void OnSignal(int signal) {
  const int saved_errno = errno;
  // In a new child the pipe is still the parent's.
  if (installed_in != getpid() || is_told.exchange(true)) {
    Restore(signal);
    raise(signal);
  } else {
    const auto byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const auto written = write(told_fd.load(), &byte, 1);
  }
  errno = saved_errno;
}

// A child restores the previous signal handlers, unless other code has replaced ours.
void LeaveToParent() {
  if (installed_in == 0) return;
  installed_in = 0;
  is_told = false;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now = {};
    if (sigaction(kSignals[i], nullptr, &now) == 0 && now.sa_handler == OnSignal) {
      sigaction(kSignals[i], &before[i], nullptr);
    }
  }
}

// Waits for a signal as long as the process lives.
void AwaitSignal(int fd) {
  unsigned char signal = 0;
  ssize_t got = 0;
  do {
    got = read(fd, &signal, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) return;
  const auto drop = [](const std::stop_token& stop) {
    internal::LiveUploads::OfProcess().DropAll(stop);
    internal::LiveComposites::OfProcess().DeleteAll(stop);
  };
  internal::RunWithTimeLimit(drop, kPatience);
  Restore(signal);
  kill(getpid(), signal);
}

Error Refused(const char* what) {
  return {ErrorCode::kLocalIo,
          std::string("composites cannot be deleted on a signal: ") + what + ": " + strerror(errno)};
}

Result<void> StartThread() {
  std::array<int, 2> pipe_ends = {};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return Refused("pipe2");
  // The thread blocks all signals, so that none interrupts its work. It is detached: it lives as long as the process,
  // whose end does not wait for it.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  auto thread = internal::StartThread([fd = pipe_ends[0]] { AwaitSignal(fd); });
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  if (!thread) {
    for (const int end : pipe_ends) close(end);
    return Error{thread.error().code, "composites cannot be deleted on a signal: " + thread.error().message};
  }
  for (const int end : pipe_ends) internal::AddOwnDescriptor(end);
  told_fd = pipe_ends[1];
  thread->detach();
  return {};
}

Result<void> Handle(std::size_t index) {
  if (sigaction(kSignals[index], nullptr, &before[index]) != 0) return Refused("sigaction");
  if (before[index].sa_handler == SIG_IGN) return {};
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(kSignals[index], &action, nullptr) != 0) return Refused("sigaction");
  return {};
}

}  // namespace

Result<void> InstallCompositeCleanup() {
  static internal::LeafMutex mutex;
  static bool has_hook = false;
  const internal::MutexLock lock(mutex);
  if (installed_in != 0) return {};
  if (!std::exchange(has_hook, true)) internal::AtForkInChild(LeaveToParent);
  if (auto started = StartThread(); !started) return started;
  installed_in = getpid();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (auto handled = Handle(i); !handled) return handled;
  }
  return {};
}

}  // namespace gcsflux
