#include "fork/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#if defined(__SANITIZE_THREAD__)
// Children of a process with threads start threads here, which it refuses otherwise.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace gcsflux::testing {
namespace {

constexpr unsigned kMostSeconds = 60;

int AwaitStatus(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

[[noreturn]] void EndChild(int output, const std::string& said) {
  [[maybe_unused]] const auto written = write(output, said.data(), said.size());
  _exit(0);
}

// The whole message, and how the process ended if it failed.
std::string AwaitWords(int output, pid_t pid) {
  std::string said;
  std::array<char, 4096> room{};
  for (ssize_t got = 0; (got = read(output, room.data(), room.size())) > 0;) {
    said.append(room.data(), static_cast<std::size_t>(got));
  }
  const int status = AwaitStatus(pid);
  if (WIFSIGNALED(status)) said += " (ended by signal " + std::to_string(WTERMSIG(status)) + ")";
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) said += " (exit " + std::to_string(WEXITSTATUS(status)) + ")";
  return said;
}

}  // namespace

Child::Child(const std::function<std::string()>& main) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no child");
  if (pid_ == 0) {
    alarm(kMostSeconds);
    EndChild(ends[1], main());
  }
  close(ends[1]);
  output_ = ends[0];
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), output_(std::exchange(other.output_, -1)) {}

Child::~Child() {
  if (output_ >= 0) close(output_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  AwaitStatus(pid_);
}

std::string Child::Wait() { return AwaitWords(output_, std::exchange(pid_, -1)); }

int Child::WaitForSignal() {
  const int status = AwaitStatus(std::exchange(pid_, -1));
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

ForkInCallback::ForkInCallback() {
  if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
}

ForkInCallback::~ForkInCallback() {
  for (const int end : ends_) {
    if (end >= 0) close(end);
  }
  if (pid_ > 0) AwaitStatus(pid_);
}

void ForkInCallback::Fork() {
  if (pid_ >= 0) return;
  pid_ = fork();
  if (pid_ == 0) alarm(kMostSeconds);
}

void ForkInCallback::End(const std::string& said) const { EndChild(ends_[1], said); }

std::string ForkInCallback::Wait() {
  close(std::exchange(ends_[1], -1));
  if (pid_ < 0) return "nothing was forked";
  return AwaitWords(ends_[0], std::exchange(pid_, -1));
}

std::vector<std::string> OpenSockets() {
  std::vector<std::string> sockets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    std::string target = std::filesystem::read_symlink(entry.path(), gone);
    if (target.starts_with("socket:")) sockets.push_back(std::move(target));
  }
  std::sort(sockets.begin(), sockets.end());
  return sockets;
}

std::string WhyNoThreadsInChildren() {
#if defined(__SANITIZE_THREAD__)
  return "ThreadSanitizer does not follow threads and signals of a child";
#else
  return "";
#endif
}

std::string InChild(const std::function<std::string()>& main) { return Child(main).Wait(); }

}  // namespace gcsflux::testing
