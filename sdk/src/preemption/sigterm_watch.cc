// A signal handler may call few functions, so it writes a byte to a pipe, and a thread does the rest.
#include "preemption/sigterm_watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "base/process/start_thread.h"

namespace gcsflux::internal {
namespace {

constexpr unsigned char kSigterm = 1;
constexpr unsigned char kEnd = 0;

// The handler uses these. They are lock-free, and set before the handler is installed.
std::atomic<int> waking_end = -1;
std::atomic<pid_t> watched_in = 0;  // 0: there is no watch.
struct sigaction action_before = {};

// Async-signal-safe: sigaction(), raise(), getpid() and write() are.
void OnSignal(int signal) {
  const int saved_errno = errno;
  sigaction(signal, &action_before, nullptr);
  if (watched_in == getpid()) {
    [[maybe_unused]] const auto written = write(waking_end, &kSigterm, 1);
  } else {
    raise(signal);  // In a child the pipe is still the parent's.
  }
  errno = saved_errno;
}

bool IsOurs(const struct sigaction& action) { return action.sa_handler == OnSignal; }

Error NoWatch(const std::string& why) { return {ErrorCode::kLocalIo, "SIGTERM cannot be watched: " + why}; }

class PipedWatch final : public SigtermWatch {
 public:
  explicit PipedWatch(std::function<void()> on_sigterm) : on_sigterm_(std::move(on_sigterm)) {}
  ~PipedWatch() override {
    struct sigaction now = {};
    if (sigaction(SIGTERM, nullptr, &now) == 0 && IsOurs(now)) sigaction(SIGTERM, &action_before, nullptr);
    if (thread_.joinable()) {
      while (write(ends_[1], &kEnd, 1) < 0 && errno == EINTR) continue;
      thread_.join();
    }
    watched_in = 0;
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }

  Result<void> Begin() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) return NoWatch(std::string("pipe2: ") + strerror(errno));
    if (auto started = StartListening(); !started) return NoWatch(started.error().message);
    waking_end = ends_[1];
    if (sigaction(SIGTERM, nullptr, &action_before) != 0) return NoWatch(std::string("sigaction: ") + strerror(errno));
    if (action_before.sa_handler == SIG_IGN) return {};
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGTERM, &action, nullptr) != 0) return NoWatch(std::string("sigaction: ") + strerror(errno));
    return {};
  }

 private:
  // The thread takes no signals: they are for the program's threads.
  Result<void> StartListening() {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    auto thread = StartThread([this] { Listen(); });
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (!thread) return thread.error();
    thread_ = *std::move(thread);
    return {};
  }

  void Listen() const {
    unsigned char byte = kEnd;
    while (read(ends_[0], &byte, 1) < 0 && errno == EINTR) continue;
    if (byte == kSigterm) on_sigterm_();
  }

  const std::function<void()> on_sigterm_;
  std::array<int, 2> ends_ = {-1, -1};
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<SigtermWatch>> SigtermWatch::Start(std::function<void()> on_sigterm) {
  pid_t owner = 0;
  if (!watched_in.compare_exchange_strong(owner, getpid())) {
    if (owner == getpid()) {
      return Error{ErrorCode::kInvalidArgument, "another PreemptionNotice of this process watches SIGTERM"};
    }
    watched_in = getpid();  // A child has another id, and no watch.
  }
  auto watch = std::make_unique<PipedWatch>(std::move(on_sigterm));
  if (auto begun = watch->Begin(); !begun) return begun.error();
  return std::unique_ptr<SigtermWatch>(std::move(watch));
}

}  // namespace gcsflux::internal
