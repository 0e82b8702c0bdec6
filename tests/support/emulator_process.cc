#include "support/emulator_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <stdexcept>

namespace gcsflux::testing {
namespace {

// `words` end with a null.
[[noreturn]] void BecomeEmulator(const std::vector<char*>& words, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // Also if the parent is killed.
  dup2(output, STDOUT_FILENO);
  execv(words.front(), words.data());
  _exit(127);
}

std::string ReadLine(int descriptor) {
  std::string line;
  for (char c = 0; read(descriptor, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

}  // namespace

EmulatorProcess::EmulatorProcess(std::vector<std::string> flags) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "gcsflux-emulator";
  std::string port = "--port=0";
  std::vector<char*> words = {program.data(), port.data()};
  for (std::string& flag : flags) words.push_back(flag.data());
  words.push_back(nullptr);
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) BecomeEmulator(words, pipe_ends[1]);
  close(pipe_ends[1]);
  const std::string line = ReadLine(pipe_ends[0]);
  close(pipe_ends[0]);
  const auto url = line.find("http");
  if (url == std::string::npos) throw std::runtime_error(program + " did not come up: '" + line + "'");
  endpoint_ = line.substr(url);
}

EmulatorProcess::~EmulatorProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

}  // namespace gcsflux::testing
