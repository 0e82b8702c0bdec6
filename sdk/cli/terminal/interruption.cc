#include "cli/terminal/interruption.h"

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <exception>
#include <thread>

namespace gcsflux::cli {
namespace {

std::atomic<int> received_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets it");
sem_t woken;  // What a handler may use.

extern "C" void OnSignal(int signal) {
  const int error = errno;
  received_signal = signal;
  static_cast<void>(::sem_post(&woken));
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
    if (::sem_init(&woken, 0, 0) != 0) return;
    try {
      listener_ = std::jthread([this] {
        while (::sem_wait(&woken) != 0 && errno == EINTR) {
        }
        if (received_signal != 0) stop_.request_stop();
      });
    } catch (const std::exception&) {
      return;  // Without a thread the signals keep their default effect.
    }
    for (const int signal : {SIGINT, SIGTERM}) Listen(signal);
  }
  ~Interruption() {
    if (!listener_.joinable()) return;
    for (const int signal : {SIGINT, SIGTERM}) {
      if (!IsIgnored(signal)) std::signal(signal, SIG_DFL);
    }
    static_cast<void>(::sem_post(&woken));
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread listener_;  // Last: it uses stop_ until it is joined.
};

}  // namespace

std::stop_token StopOnSignal() {
  static const Interruption interruption;
  return interruption.token();
}

int ReceivedSignal() { return received_signal; }

}  // namespace gcsflux::cli
