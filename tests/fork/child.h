#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace gcsflux::testing {

/// A child that fork() makes, as in programs: no exec() follows. It ends by _exit() with the result of `main`; an alarm
/// ends one that hangs.
class Child {
 public:
  /// `main` runs in the child; Wait() returns its result, "" for success.
  explicit Child(const std::function<std::string()>& main);
  /// Kills one that still runs.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  /// The result of its main, or how else it ended.
  std::string Wait();
  /// The signal that ended it; 0 where it exited.
  int WaitForSignal();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

/// Why a test whose child starts threads, or handles signals, cannot run here; "" if it can. ThreadSanitizer of g++ 12
/// confuses a child's thread with one of its parent's that has the same stack ("dup thread with used id", exit 66), and
/// does not run a child's handler for a signal that it sends to itself. Twenty lines without this library show both.
std::string WhyNoThreadsInChildren();

/// Both in parallel.
std::string InChild(const std::function<std::string()>& main);

/// A child that a callback of the caller makes: the library's operation continues in both.
class ForkInCallback {
 public:
  ForkInCallback();
  ~ForkInCallback();
  ForkInCallback(const ForkInCallback&) = delete;
  ForkInCallback& operator=(const ForkInCallback&) = delete;

  /// Forks when it is first called.
  void Fork();
  [[nodiscard]] bool is_child() const { return pid_ == 0; }
  /// In the child: reports the result that Wait() returns in the parent, and ends the process.
  [[noreturn]] void End(const std::string& said) const;
  std::string Wait();

 private:
  std::array<int, 2> ends_ = {-1, -1};
  pid_t pid_ = -1;
};

/// The sockets of this process ("socket:[INODE]"), sorted.
std::vector<std::string> OpenSockets();

}  // namespace gcsflux::testing
