#include "cli/run/own_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/messages/local_error.h"

namespace gcsflux::cli {
namespace {

// The system resolves it in the new process, which is a copy of this one until then.
constexpr const char* kThisProgram = "/proc/self/exe";

Result<pid_t> Start(const std::vector<std::string>& arguments, std::FILE* out) {
  std::vector<std::string> words = {"gcsflux"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out), STDOUT_FILENO);
  pid_t process = 0;
  const int failure = ::posix_spawn(&process, kThisProgram, &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return internal::LocalError("start", "gcsflux", failure);
  return process;
}

}  // namespace

Result<int> RunOwnProcess(const std::vector<std::string>& arguments, std::FILE* out, const std::stop_token& stop) {
  const auto process = Start(arguments, out);
  if (!process) return process.error();
  {
    // Until the process is collected below, its number is no other one's.
    const std::stop_callback end_it(stop, [&] { ::kill(*process, SIGTERM); });
    siginfo_t unused{};
    while (::waitid(P_PID, static_cast<id_t>(*process), &unused, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
  }
  int status = 0;
  while (::waitpid(*process, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace gcsflux::cli
