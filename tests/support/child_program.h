#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gcsflux::testing {

/// A running program whose output is read through pipes; it ends with this object.
class ChildProgram {
 public:
  /// With this process's environment, and `variables` ("NAME=value") before it.
  ChildProgram(const std::string& path, std::vector<std::string> arguments, std::vector<std::string> variables = {});
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  std::string ReadOutputLine();
  /// To its end.
  std::string ReadOutput();
  std::string ReadErrors();
  /// Whether it has ended, and Wait() would return at once.
  [[nodiscard]] bool has_ended() const;
  void Signal(int signal);
  /// Sends the signal once the program has a handler for it.
  void SignalOnceHandled(int signal);
  /// The exit status, or the negated number of the signal that ended it.
  int Wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

}  // namespace gcsflux::testing
