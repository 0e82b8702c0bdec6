#include "support/child_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>

namespace gcsflux::testing {
namespace {

std::string ReadAll(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t size = 0; (size = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text;
}

void Require(int error, const std::string& path) {
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + path);
}

}  // namespace

ChildProgram::ChildProgram(const std::string& path, std::vector<std::string> arguments,
                           std::vector<std::string> variables) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  Require(::pipe2(out.data(), O_CLOEXEC) == 0 ? 0 : errno, path);
  Require(::pipe2(err.data(), O_CLOEXEC) == 0 ? 0 : errno, path);
  arguments.insert(arguments.begin(), path);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  envp.reserve(variables.size());
  for (std::string& variable : variables) envp.push_back(variable.data());
  for (char** variable = environ; *variable != nullptr; ++variable) envp.push_back(*variable);
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  sigset_t defaults;  // A shell's background jobs start with SIGINT ignored, which the program would inherit.
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
  Require(error, path);
}

ChildProgram::~ChildProgram() {
  if (pid_ > 0) ::kill(pid_, SIGKILL), Wait();
  ::close(out_);
  ::close(err_);
}

std::string ChildProgram::ReadOutputLine() {
  std::string line;
  for (char c = 0; ::read(out_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string ChildProgram::ReadOutput() { return ReadAll(out_); }
std::string ChildProgram::ReadErrors() { return ReadAll(err_); }
void ChildProgram::Signal(int signal) {
  if (pid_ > 0) ::kill(pid_, signal);  // Any other number is a group, or every process.
}

bool ChildProgram::has_ended() const {
  siginfo_t info = {};
  return pid_ <= 0 ||
         (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0);
}

void ChildProgram::SignalOnceHandled(int signal) {
  const std::string path = "/proc/" + std::to_string(pid_) + "/status";
  for (std::uint64_t handled = 0; (handled >> (signal - 1) & 1U) == 0;) {
    std::ifstream status(path);
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigCgt:")) handled = std::stoull(line.substr(7), nullptr, 16);
    }
  }
  Signal(signal);
}

int ChildProgram::Wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace gcsflux::testing
