#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// What the program's line begins with, before its endpoint.
inline constexpr std::string_view kReady = "gcsflux-emulator listening on ";

/// The gcsflux-emulator program, running, its output read through pipes; gone when this is.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string ReadOutputLine();
  /// To its end.
  std::string ReadOutput();
  std::string ReadErrors();
  void Signal(int signal);
  /// The exit status, or the negated signal that ended it.
  int Wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

}  // namespace gcsflux::emulator
