// A program started beside a client inherits nothing of the client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <sstream>
#include <thread>

#include "fork/fork_fixture.h"

namespace gcsflux {
namespace {

using ::testing::IsEmpty;

// Starts `ls` of its own descriptors; returns them, one a line.
std::string DescriptorsOfProgram(bool is_forked) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const std::array<const char*, 4> words = {"/bin/sh", "-c", "for f in /proc/$$/fd/*; do readlink $f; done; true",
                                            nullptr};
  auto* const arguments = const_cast<char* const*>(words.data());
  pid_t pid = -1;
  if (is_forked) {
    pid = fork();
    if (pid == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execv(words[0], arguments);
      _exit(127);
    }
  } else {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn(&pid, words[0], &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> room{};
  for (ssize_t got = 0; (got = read(ends[0], room.data(), room.size())) > 0;) {
    text.append(room.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  return status == 0 ? text : "the program failed";
}

std::vector<std::string> SocketsIn(const std::string& descriptors) {
  std::vector<std::string> sockets;
  std::istringstream lines(descriptors);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("socket:") || line.starts_with("the program") || line.starts_with("no")) {
      sockets.push_back(line);
    }
  }
  return sockets;
}

// Descriptors inherited by the tests do not count.
std::vector<std::string> Without(std::vector<std::string> sockets, const std::vector<std::string>& before) {
  std::erase_if(sockets, [&](const auto& s) { return std::find(before.begin(), before.end(), s) != before.end(); });
  return sockets;
}

class DescriptorsTest : public testing::ForkTest, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Transports, DescriptorsTest, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Tls" : "Plain"; });

TEST_P(DescriptorsTest, AreNotInheritedByAProgram) {
  const auto before = testing::OpenSockets();
  Start(GetParam());
  Put(4, 50'000);
  const Client client = *Client::Create(Options());
  ASSERT_EQ(Read(client, 0), "");
  ASSERT_GE(testing::OpenSockets().size(), before.size() + 3);  // a connection, and libcurl's two
  EXPECT_THAT(Without(SocketsIn(DescriptorsOfProgram(/*is_forked=*/true)), before), IsEmpty());
  EXPECT_THAT(Without(SocketsIn(DescriptorsOfProgram(/*is_forked=*/false)), before), IsEmpty());
  EXPECT_EQ(Read(client, 1), "");
}

TEST_P(DescriptorsTest, AreNotInheritedWhileConnectionsChange) {
  const auto before = testing::OpenSockets();
  Start(GetParam());
  Put(4, 50'000);
  ClientOptions options = Options();
  options.max_idle_connections = 0;  // a new connection for each read
  const Client client = *Client::Create(options);
  std::atomic<int> failures = 0;
  std::vector<std::jthread> readers;
  for (std::size_t i = 0; i < 4; ++i) {
    readers.emplace_back([&, i](const std::stop_token& stop) {
      while (!stop.stop_requested()) failures += Read(client, i).empty() ? 0 : 1;
    });
  }
  for (int i = 0; i < 50; ++i) {
    ASSERT_THAT(Without(SocketsIn(DescriptorsOfProgram(/*is_forked=*/true)), before), IsEmpty());
  }
  readers.clear();
  EXPECT_EQ(failures, 0);
}

TEST_P(DescriptorsTest, AreClosedInAChild) {
  const auto before = testing::OpenSockets();
  Start(GetParam());
  Put(4, 50'000);
  const Client client = *Client::Create(Options());
  ASSERT_EQ(Read(client, 0), "");
  EXPECT_EQ(testing::InChild([&] {
              const auto inherited = Without(testing::OpenSockets(), before);
              return inherited.empty() ? "" : inherited.front();
            }),
            "");
}

}  // namespace
}  // namespace gcsflux
