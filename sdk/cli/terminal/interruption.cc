#include "cli/terminal/interruption.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "cli/terminal/start_thread.h"

namespace gcsflux::cli {
namespace {

std::atomic<int> received_signal = 0;
std::atomic<int> waking_end = -1;  // Of the pipe that wakes the thread.
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets it");

extern "C" void OnSignal(int signal) {
  const int error = errno;
  received_signal = signal;
  const char byte = 1;
  static_cast<void>(!::write(waking_end, &byte, 1));
  errno = error;
}

// Shells do this for background processes.
bool IsIgnored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void Listen(int signal) {
  if (IsIgnored(signal)) return;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigaction(signal, &action, nullptr);
}

// A signal handler may do very little, and must not call stop callbacks. A thread does that.
class Interruption {
 public:
  Interruption() {
    // Without a pipe or a thread the signals keep their default effect.
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) return;
    auto teller = StartThread([this] {
      char byte = 0;
      while (::read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
      }
      if (byte == 1) stop_.request_stop();
    });
    if (!teller) {
      CloseEnds();
      return;
    }
    teller_ = *std::move(teller);
    waking_end = ends_[1];
    for (const int signal : {SIGINT, SIGTERM}) Listen(signal);
  }
  ~Interruption() {
    if (!teller_.joinable()) return;
    for (const int signal : {SIGINT, SIGTERM}) {
      if (IsIgnored(signal)) continue;
      std::signal(signal, SIG_DFL);
    }
    const char byte = 0;
    static_cast<void>(!::write(ends_[1], &byte, 1));
    teller_.join();
    CloseEnds();
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  void CloseEnds() {
    for (const int end : ends_) ::close(end);
  }

  std::array<int, 2> ends_ = {-1, -1};
  std::stop_source stop_;
  std::jthread teller_;
};

}  // namespace

std::stop_token StopOnSignal() {
  static const Interruption interruption;
  return interruption.token();
}

int ReceivedSignal() { return received_signal; }

}  // namespace gcsflux::cli
