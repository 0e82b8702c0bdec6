// Pipes as source and destination: large objects over several connections.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "cli/command_fixture.h"
#include "support/load_fault.h"
#include "support/upload_case.h"

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Pattern;

class PipesTest : public CommandTest {
 protected:
  std::ptrdiff_t ReadsOf(const std::string& object) {
    return std::ranges::count_if(emulator_.journal(), [&](const auto& record) {
      return record.operation == "storage.objects.get" && record.object == object;
    });
  }
  std::ptrdiff_t Parts() {
    return std::ranges::count_if(emulator_.journal(), [](const auto& record) { return record.phase == "part"; });
  }
  // Runs `cp pipe gs://bkt/o` with these bytes in the pipe.
  Outcome CopyFromPipe(const std::string& bytes, std::vector<std::string> flags) {
    if (!std::filesystem::exists(PathOf("pipe"))) {
      EXPECT_EQ(::mkfifo(PathOf("pipe").c_str(), S_IRUSR | S_IWUSR), 0);
    }
    std::vector<std::string> arguments = {"cp", "pipe", "gs://bkt/o"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    testing::ChildProgram program = Start(arguments);
    std::ofstream(PathOf("pipe")) << bytes;
    return Finish(program);
  }
};

TEST_F(PipesTest, ReadsALargeObjectOverSeveralConnections) {
  const std::string large = Pattern(40 << 20);
  Store("large", large);
  const Outcome one = Run({"cat", "gs://bkt/large"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_TRUE(one.out == large);
  EXPECT_GE(ReadsOf("large"), 5);  // 8 MiB each, or less.
  EXPECT_TRUE(Run({"cp", "gs://bkt/large", "-"}).out == large);
  EXPECT_GE(ReadsOf("large"), 10);
}

// The writer of the pipe is there, and writes no more.
TEST_F(PipesTest, StopsWaitingForDataAtASignal) {
  ASSERT_EQ(::mkfifo(PathOf("pipe").c_str(), S_IRUSR | S_IWUSR), 0);
  testing::ChildProgram program = Start({"cp", "pipe", "gs://bkt/o"});
  std::ofstream pipe(PathOf("pipe"));
  pipe << "the beginning" << std::flush;
  program.Signal(SIGINT);
  EXPECT_THAT(program.ReadErrors(), HasSubstr("interrupted"));
  EXPECT_EQ(program.Wait(), 130);
  EXPECT_THAT(Objects(), ::testing::IsEmpty());
}

TEST_F(PipesTest, StopsWaitingForThePeerAtASignal) {
  ASSERT_EQ(::mkfifo(PathOf("pipe").c_str(), S_IRUSR | S_IWUSR), 0);
  Store("o", "bytes");
  for (const auto& command : {std::vector<std::string>{"cp", "pipe", "gs://bkt/new"}, {"cp", "gs://bkt/o", "pipe"}}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      testing::ChildProgram program = Start(command);
      program.SignalOnceHandled(signal);
      EXPECT_THAT(program.ReadErrors(), HasSubstr("interrupted"));
      EXPECT_EQ(program.Wait(), 128 + signal) << command[1];
    }
  }
  EXPECT_THAT(Objects(), ElementsAre("o"));
}

TEST_F(PipesTest, WaitsForTheReaderOfAPipe) {
  ASSERT_EQ(::mkfifo(PathOf("pipe").c_str(), S_IRUSR | S_IWUSR), 0);
  Store("o", "bytes");
  testing::ChildProgram program = Start({"cp", "gs://bkt/o", "pipe"});
  EXPECT_EQ(ReadFile("pipe"), "bytes");
  EXPECT_EQ(program.Wait(), 0);
}

// A file that the shell has opened is neither emptied nor replaced.
TEST_F(PipesTest, WritesToTheDescriptorThatANameMeans) {
  Store("o", "bytes");
  const std::string program = GCSFLUX_PROGRAM;
  std::filesystem::create_symlink("/dev/stdout", PathOf("link"));
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"}) {
    WriteFile("out", "before ");
    testing::ChildProgram shell("/bin/sh",
                                {"-c", "cd '" + PathOf("") + "' && '" + program + "' cp gs://bkt/o " + name + " >>out"},
                                Environment());
    EXPECT_EQ(shell.Wait(), 0) << name << ": " << shell.ReadErrors();
    EXPECT_EQ(ReadFile("out"), "before bytes") << name;
  }
  EXPECT_TRUE(std::filesystem::is_symlink("/dev/stdout"));
  EXPECT_TRUE(std::filesystem::is_symlink(PathOf("link")));
}

TEST_F(PipesTest, FailsForADamagedObject) {
  Store("large", Pattern(20 << 20));
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get"}, {.type = "corrupt", .at_byte = 15 << 20});
  const Outcome outcome = Run({"cat", "gs://bkt/large"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gs://bkt/large"));
  EXPECT_GE(emulator_.faults().Fired("it"), 1U);
}

TEST_F(PipesTest, WritesAnEmptyObject) {
  Store("empty", "");
  const Outcome outcome = Run({"cat", "gs://bkt/empty"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(PipesTest, UploadsAPipeAsParts) {
  const std::string bytes = Pattern(17 << 20);
  const Outcome parts = CopyFromPipe(bytes, {"--part_bytes=5242880", "--part_memory_bytes=20000000"});
  EXPECT_EQ(parts.status, 0) << parts.err;
  EXPECT_TRUE(Stored("o") == bytes);
  EXPECT_EQ(Parts(), 4);
  EXPECT_THAT(Objects(), ElementsAre("o"));
  const Outcome stream = CopyFromPipe(bytes + "x", {"--write_path=one_stream"});
  EXPECT_EQ(stream.status, 0) << stream.err;
  EXPECT_TRUE(Stored("o") == bytes + "x");
  EXPECT_EQ(Parts(), 4);
}

}  // namespace
}  // namespace gcsflux::cli
