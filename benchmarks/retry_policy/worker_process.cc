#include "retry_policy/worker_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace gcsflux::bench {
namespace {

using Pipe = std::array<int, 2>;  // reading end, writing end

Pipe MakePipe() {
  Pipe ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

// Between fork and exec, without the emulator's threads: nothing here may allocate.
[[noreturn]] void Become(char* const* arguments, int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // Also if the parent is killed.
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Pipe input = MakePipe();
  const Pipe output = MakePipe();
  pid_ = fork();
  if (pid_ == 0) Become(pointers.data(), input[0], output[1]);
  close(input[0]);
  close(output[1]);
  to_ = fdopen(input[1], "w");
  from_ = fdopen(output[0], "r");
  std::array<char, 16> line{};
  const bool is_ready = pid_ > 0 && std::fgets(line.data(), line.size(), from_) != nullptr;
  if (!is_ready || std::strcmp(line.data(), "ready\n") != 0) throw std::runtime_error("a worker did not come up");
}

WorkerProcess::~WorkerProcess() {
  std::fclose(to_);
  std::fclose(from_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void WorkerProcess::Begin(std::chrono::steady_clock::time_point start, double seconds) {
  const auto since_epoch = std::chrono::duration_cast<std::chrono::nanoseconds>(start.time_since_epoch());
  std::fprintf(to_, "%lld %f\n", static_cast<long long>(since_epoch.count()), seconds);
  std::fflush(to_);
}

std::vector<CallRecord> WorkerProcess::Finish() {
  std::vector<CallRecord> calls;
  long long issued = 0;
  long long ended = 0;
  char outcome = 0;
  while (std::fscanf(from_, "%lld %lld %c", &issued, &ended, &outcome) == 3) {
    calls.push_back({.issued = static_cast<double>(issued) * 1e-6,
                     .ended = static_cast<double>(ended) * 1e-6,
                     .outcome = static_cast<CallRecord::Outcome>(outcome)});
  }
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  if (status != 0) throw std::runtime_error("a worker failed");
  return calls;
}

}  // namespace gcsflux::bench
