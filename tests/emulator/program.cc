#include "emulator/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

extern char** environ;

namespace gcsflux::emulator {
namespace {

std::string ReadAll(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t size = 0; (size = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace

Program::Program(std::vector<std::string> arguments) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
  EXPECT_EQ(::pipe2(err.data(), O_CLOEXEC), 0);
  arguments.insert(arguments.begin(), GCSFLUX_EMULATOR_PROGRAM);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

Program::~Program() {
  if (pid_ > 0) ::kill(pid_, SIGKILL), Wait();
  ::close(out_);
  ::close(err_);
}

std::string Program::ReadOutputLine() {
  std::string line;
  for (char c = 0; ::read(out_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string Program::ReadOutput() { return ReadAll(out_); }
std::string Program::ReadErrors() { return ReadAll(err_); }
void Program::Signal(int signal) { ::kill(pid_, signal); }

int Program::Wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace gcsflux::emulator
