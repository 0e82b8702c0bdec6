#include "torch/emulator_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace gcsflux {
namespace {

std::string ReadLine(int fd) {
  std::string line;
  for (char next = 0; ::read(fd, &next, 1) == 1 && next != '\n';) line += next;
  return line;
}

}  // namespace

EmulatorProcess::EmulatorProcess() {
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::string program = GCSFLUX_EMULATOR_PROGRAM;
  const std::array<char*, 2> arguments = {program.data(), nullptr};
  const int failure = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(output[1]);
  if (failure == 0) {
    const std::string line = ReadLine(output[0]);  // "gcsflux-emulator listening on http://127.0.0.1:PORT"
    endpoint_ = line.substr(line.rfind(' ') + 1);
  }
  ::close(output[0]);
  if (failure != 0) throw std::runtime_error("cannot start " + program);
}

EmulatorProcess::~EmulatorProcess() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace gcsflux
