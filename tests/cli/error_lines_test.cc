// Each program writes an error's line by one call: the lines of several programs that share a file (xargs -P) do not
// mix.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

namespace gcsflux::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::StartsWith;

// The program's standard error, one write() at a time: a pipe of packets keeps them separate.
std::vector<std::string> WritesOf(const std::string& program, const std::string& argument) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_DIRECT | O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::string path = program;
  std::string word = argument;
  std::array<char*, 3> words = {path.data(), word.data(), nullptr};
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, path.c_str(), &actions, nullptr, words.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::vector<std::string> writes;
  std::array<char, 4096> room{};
  for (ssize_t got = 0; (got = read(ends[0], room.data(), room.size())) > 0;) {
    writes.emplace_back(room.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  return writes;
}

TEST(ErrorLines, AreWrittenAtOnce) {
  for (const std::string program : {"gcsflux", "gcsflux-emulator", "gcsflux-conformance"}) {
    EXPECT_THAT(WritesOf(std::string(GCSFLUX_PROGRAMS) + "/" + program, "nonsense"),
                ElementsAre(AllOf(StartsWith(program + ": "), EndsWith("\n"))));
  }
}

}  // namespace
}  // namespace gcsflux::cli
