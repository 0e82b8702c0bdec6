#pragma once

#include <sys/types.h>

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

/// Both at once.
std::string InChild(const std::function<std::string()>& main);

/// In a child that a sink has made: says what Child's main would return, and ends the process.
[[noreturn]] void EndChild(int output, const std::string& said);

/// The sockets of this process ("socket:[INODE]"), sorted.
std::vector<std::string> OpenSockets();

}  // namespace gcsflux::testing
