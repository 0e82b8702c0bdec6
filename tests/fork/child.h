#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace gcsflux::testing {

/// A child that fork() makes, as programs do: no exec() follows. It ends by _exit() with what `main` returns; an alarm
/// ends one that hangs.
class Child {
 public:
  /// `main` runs in the child; what it returns is what Wait() gives, "" where all is well.
  explicit Child(const std::function<std::string()>& main);
  /// Kills one that still runs.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  /// What its main returned, or how else it ended.
  std::string Wait();
  /// The signal that ended it; 0 where it exited.
  int WaitForSignal();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

/// Why a test whose child starts threads, or takes signals by a handler, cannot run here; "" where it can.
/// ThreadSanitizer of g++ 12 takes a child's thread for one of its parent's that has the same stack ("dup thread with
/// used id", exit 66), and does not run a child's handler for a signal it sends to itself. Twenty lines without this
/// library show both.
std::string WhyNoThreadsInChildren();

/// Both at once.
std::string InChild(const std::function<std::string()>& main);

/// A child that a callback of the caller's makes: what the library is doing goes on in both.
class ForkInCallback {
 public:
  ForkInCallback();
  ~ForkInCallback();
  ForkInCallback(const ForkInCallback&) = delete;
  ForkInCallback& operator=(const ForkInCallback&) = delete;

  /// Forks when it is first called.
  void Fork();
  [[nodiscard]] bool is_child() const { return pid_ == 0; }
  /// In the child: says what Wait() gives in the parent, and ends the process.
  [[noreturn]] void End(const std::string& said) const;
  std::string Wait();

 private:
  std::array<int, 2> ends_ = {-1, -1};
  pid_t pid_ = -1;
};

/// The sockets of this process ("socket:[INODE]"), sorted.
std::vector<std::string> OpenSockets();

}  // namespace gcsflux::testing
