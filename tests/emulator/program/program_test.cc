// The gcsflux-emulator program, as a process.

#include "emulator/support/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

TEST(Program, ServesUntilASignal) {
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
  EXPECT_NE(help.find("--client_patience_s=60"), std::string::npos) << help;
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
                                                       {"--journal_size=10000001"},
                                                       {"--journal_size=18446744073709551615"},
                                                       {"--client_patience_s=0"},
                                                       {"--client_patience_s=-1"},
                                                       {"--client_patience_s=nan"},
                                                       {"--client_patience_s=86401"},
                                                       {"--client_patience_s=soon"},
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
  const testing::TestDirectory files;
  static_cast<void>(files.Write("file", "content"));
  const std::string directory = files.path();
  Program program({"--seed_dir=one=" + directory + ",two=" + directory, "--journal_size=2"});
  const std::string line = program.ReadOutputLine();
  ASSERT_TRUE(line.starts_with(kReady)) << line << program.ReadErrors();
  RawConnection client(line.substr(kReady.size()));
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/one/o/file?alt=media").body, "content");
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/two/o/file?alt=media").body, "content");
  EXPECT_EQ(client.Call("GET", "/storage/v1/b/two/o/none").status, 404);
  const std::string journal = client.Call("GET", "/_emulator/journal").body;
  EXPECT_EQ(journal.find("\"number\":1,"), std::string::npos) << journal;
  EXPECT_NE(journal.find("\"number\":3,"), std::string::npos) << journal;
}

TEST(Program, DisconnectsSlowClients) {
  Program program({"--client_patience_s=0.2"});
  const std::string line = program.ReadOutputLine();
  ASSERT_TRUE(line.starts_with(kReady)) << line << program.ReadErrors();
  RawConnection slow(line.substr(kReady.size()));
  slow.Send("POST /storage/v1/b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{");
  const std::optional<RawResponse> response = slow.Receive();  // long before the default of a minute
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 408);
}

TEST(Program, FailsIfItCannotReadItsSeed) {
  Program program({"--seed_dir=bucket=/nonexistent/directory"});
  const std::string errors = program.ReadErrors();
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_EQ(errors, "gcsflux-emulator: Cannot read '/nonexistent/directory': No such file or directory.\n");
}

// Whether a process started by this thread has a file of that path open.
bool IsOpenInAChild(const std::string& path) {
  std::ifstream children("/proc/self/task/" + std::to_string(::gettid()) + "/children");
  for (std::string pid; children >> pid;) {
    std::error_code error;
    for (const auto& descriptor : std::filesystem::directory_iterator("/proc/" + pid + "/fd", error)) {
      if (std::filesystem::read_symlink(descriptor.path(), error) == path) return true;
    }
  }
  return false;
}

TEST(Program, StopsAtASignalDuringItsSeed) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const testing::TestDirectory files;
    const std::string endless = files.Write("sparse", "");
    std::filesystem::resize_file(endless, std::uintmax_t{1} << 42);  // reading it would take half an hour
    Program program({"--seed_dir=bucket=" + files.path().string()});
    while (!IsOpenInAChild(endless)) std::this_thread::yield();
    program.Signal(signal);
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_EQ(program.ReadOutput() + program.ReadErrors(), "");
  }
}

TEST(Program, ReadsNoEndlessFile) {
  for (const std::string flag : {"faults", "auth_config", "admin_token_file"}) {
    Program program({"--" + flag + "=/dev/zero"});
    EXPECT_EQ(program.Wait(), 1) << flag;
    EXPECT_EQ(program.ReadErrors(), "gcsflux-emulator: --" + flag + "=/dev/zero is longer than 64 MiB\n");
  }
}

TEST(Program, AcceptsHostsAndAnAdminToken) {
  const testing::TestDirectory files;
  Program program({"--admin_token_file=" + files.Write("token", "secret\n"), "--allowed_hosts=a.com,b.com"});
  const std::string line = program.ReadOutputLine();
  ASSERT_TRUE(line.starts_with(kReady)) << line << program.ReadErrors();
  RawConnection client(line.substr(kReady.size()));
  EXPECT_EQ(client.Call("POST", "/_emulator/reset").status, 401);
  EXPECT_EQ(client.Call("POST", "/_emulator/reset", "Authorization: Bearer secret\r\n").status, 204);
  for (const auto& [origin, status] : {std::pair("b.com", 200), {"c.com", 403}}) {
    EXPECT_EQ(client.Call("GET", "/storage/v1/b", std::string("Origin: http://") + origin + "\r\n").status, status);
  }
}

TEST(Program, ReportsAPortInUse) {
  const Emulator emulator;
  const std::string port = emulator.endpoint().substr(emulator.endpoint().rfind(':') + 1);
  Program program({"--port", port});
  const std::string errors = program.ReadErrors();
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_EQ(errors, "gcsflux-emulator: cannot listen on 127.0.0.1:" + port + ": Address already in use\n");
}

TEST(Program, WarnsIfReachableFromOutside) {
  Program program({"--host=0.0.0.0"});
  EXPECT_TRUE(program.ReadOutputLine().starts_with(std::string(kReady) + "http://0.0.0.0:"));
  program.Signal(SIGTERM);
  EXPECT_NE(program.ReadErrors().find("warning"), std::string::npos);
  EXPECT_EQ(program.Wait(), 0);
}

}  // namespace
}  // namespace gcsflux::emulator
