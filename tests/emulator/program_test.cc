// The gcsflux-emulator program, as a process.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "emulator/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

extern char** environ;

namespace gcsflux::emulator {
namespace {

// A running program, whose output is read through pipes.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
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
  ~Program() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), Wait();
    ::close(out_);
    ::close(err_);
  }

  std::string ReadOutputLine() {
    std::string line;
    for (char c = 0; ::read(out_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  std::string ReadOutput() { return ReadAll(out_); }
  std::string ReadErrors() { return ReadAll(err_); }
  void Signal(int signal) { ::kill(pid_, signal); }
  // The exit status, or the negated signal that ended it.
  int Wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static std::string ReadAll(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
  }

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

constexpr std::string_view kReady = "gcsflux-emulator listening on ";

TEST(Program, ServesFromItsOneLineUntilItsSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({"--port=0"});
    const std::string line = program.ReadOutputLine();
    ASSERT_TRUE(line.starts_with(std::string(kReady) + "http://127.0.0.1:")) << line;
    RawConnection idle(line.substr(kReady.size()));
    EXPECT_EQ(idle.Call("GET", "/storage/v1/b").status, 200);
    program.Signal(signal);
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_EQ(program.ReadOutput() + program.ReadErrors(), "");
    EXPECT_TRUE(idle.IsClosedByServer());
  }
}

TEST(Program, ExplainsItsFlags) {
  Program program({"--help"});
  const std::string help = program.ReadOutput();
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_NE(help.find("--host=127.0.0.1"), std::string::npos) << help;
  EXPECT_NE(help.find("--port=0"), std::string::npos) << help;
  EXPECT_EQ(help.find("flagfile"), std::string::npos) << help;
}

TEST(Program, RefusesWrongUsage) {
  const std::vector<std::vector<std::string>> cases = {{"--no_such_flag"},
                                                       {"--no_such_flag=1"},
                                                       {"--port=x"},
                                                       {"--port=65536"},
                                                       {"--port=-1"},
                                                       {"--port"},
                                                       {"extra"},
                                                       {"--"},
                                                       {"--flagfile=/dev/null"},
                                                       {"--journal_size=-1"},
                                                       {"--seed_dir=bucket"},
                                                       {"--seed_dir==x"},
                                                       {"--seed_dir=bucket=/,x="},
                                                       {"--allow_seed=/dev/null"},
                                                       {"--virtual_buckets=good:1:1:a,bad:x:1:a"}};
  for (const std::vector<std::string>& arguments : cases) {
    Program program(arguments);
    EXPECT_EQ(program.ReadOutput(), "") << arguments[0];
    const std::string errors = program.ReadErrors();
    EXPECT_EQ(program.Wait(), 2) << arguments[0];
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    EXPECT_NE(errors.find("--help"), std::string::npos) << errors;
  }
}

TEST(Program, StartsWithFiles) {
  std::string directory = testing::TempDir() + "program-test-XXXXXX";
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  std::ofstream(directory + "/file") << "content";
  Program program({"--seed_dir=one=" + directory + ",two=" + directory, "--journal_size=2"});
  const std::string line = program.ReadOutputLine();
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(line.starts_with(kReady)) << line << program.ReadErrors();
  RawConnection client(line.substr(kReady.size()));
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/one/o/file?alt=media").body, "content");
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/two/o/file?alt=media").body, "content");
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/two/o/none").status, 404);
  const std::string journal = client.Call("GET", "/_emulator/journal").body;
  EXPECT_EQ(journal.find("\"number\":1,"), std::string::npos) << journal;
  EXPECT_NE(journal.find("\"number\":3,"), std::string::npos) << journal;
}

TEST(Program, EndsWhereItCannotStartWithFiles) {
  Program program({"--seed_dir=bucket=/nonexistent/directory"});
  const std::string errors = program.ReadErrors();
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_EQ(errors, "gcsflux-emulator: Cannot read '/nonexistent/directory': No such file or directory.\n");
}

TEST(Program, SaysThatItsPortIsTaken) {
  const Emulator emulator;
  const std::string port = emulator.endpoint().substr(emulator.endpoint().rfind(':') + 1);
  Program program({"--port", port});
  const std::string errors = program.ReadErrors();
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_EQ(errors, "gcsflux-emulator: cannot listen on 127.0.0.1:" + port + ": Address already in use\n");
}

TEST(Program, WarnsWhenItCanBeReachedFromOutside) {
  Program program({"--host=0.0.0.0"});
  EXPECT_TRUE(program.ReadOutputLine().starts_with(std::string(kReady) + "http://0.0.0.0:"));
  program.Signal(SIGTERM);
  EXPECT_NE(program.ReadErrors().find("warning"), std::string::npos);
  EXPECT_EQ(program.Wait(), 0);
}

}  // namespace
}  // namespace gcsflux::emulator
