// `gcsflux run`: many commands of a file.
#include <gmock/gmock.h>

#include <csignal>

#include "cli/command_fixture.h"

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunTest : public CommandTest {};

TEST_F(RunTest, RunsEveryLineOfAFile) {
  WriteFile("a", "1");
  WriteFile("commands", "cp a gs://bkt/one\ncp a 'gs://bkt/two words'\n\n# none\n");
  const Outcome outcome = Run({"run", "commands"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("ran 2 commands"));
  EXPECT_THAT(Objects(), ElementsAre("one", "two words"));
}

TEST_F(RunTest, RunsInParallel) {
  Store("a", "1");
  Store("b", "2");
  WriteFile("commands", "cat gs://bkt/a\ncat gs://bkt/b\n");
  const Outcome outcome = RunHeld({"run", "commands"}, {.operation = "storage.objects.get"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out == "12" || outcome.out == "21") << outcome.out;
}

TEST_F(RunTest, RunsNothingIfALineIsWrong) {
  WriteFile("commands", "rm gs://bkt/a\ncp --recursve x gs://bkt/y\n");
  Store("a", "1");
  const Outcome outcome = Run({"run", "commands"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("commands, line 2: unknown flag --recursve; did you mean --recursive?"));
  EXPECT_THAT(Objects(), ElementsAre("a"));
}

TEST_F(RunTest, ADryRunPrintsTheLinesAndRunsNone) {
  Store("a", "1");
  WriteFile("commands", "rm gs://bkt/a\nls gs://bkt\n");
  const Outcome outcome = Run({"run", "-n", "commands"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "rm gs://bkt/a\nls gs://bkt\n");
  EXPECT_EQ(Run({"run", "-n", "--json", "commands"}).out,
            "{\"action\":\"run\",\"line\":1,\"command\":\"rm gs://bkt/a\"}\n"
            "{\"action\":\"run\",\"line\":2,\"command\":\"ls gs://bkt\"}\n");
  EXPECT_THAT(Objects(), ElementsAre("a"));
}

TEST_F(RunTest, EachCommandPrintsJsonAndTheLastLineCounts) {
  Store("a", "1");
  WriteFile("commands", "rm gs://bkt/a\nrm gs://bkt/none\n");
  const Outcome outcome = Run({"run", "--json", "--jobs=1", "commands"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "{\"done\":\"deleted\",\"uri\":\"gs://bkt/a\"}\n{\"commands\":2,\"failed\":1}\n");
}

TEST_F(RunTest, ReportsALineThatFailsAndRunsTheOthers) {
  Store("a", "1");
  WriteFile("commands", "rm gs://bkt/none\ncp gs://bkt/a gs://bkt/b\n");
  const Outcome outcome = Run({"run", "--jobs=1", "commands"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("line 1 failed with status 1: rm gs://bkt/none"), HasSubstr("1 of 2 commands failed")));
  EXPECT_THAT(Objects(), ElementsAre("a", "b"));
}

TEST_F(RunTest, PassesItsFlagsOn) {
  WriteFile("commands", "mb gs://other\n");
  ASSERT_EQ(Run({"--project=of-run", "run", "commands"}).status, 0);
  const auto records = emulator_.journal();
  EXPECT_THAT(records.back().target, HasSubstr("project=of-run"));
}

TEST_F(RunTest, AnInterruptionEndsItsCommands) {
  Store("a", "1");
  WriteFile("commands", "cp gs://bkt/a b\ncp gs://bkt/a c\n");
  emulator_.clock().Freeze();
  Load({.operation = "storage.objects.get"}, {.type = "stall", .duration = std::chrono::hours(1)});
  const Outcome outcome = Interrupt({"run", "--jobs=1", "commands"}, SIGTERM);
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
  EXPECT_THAT(Files("."), ElementsAre("commands"));
}

}  // namespace
}  // namespace gcsflux::cli
