// The file of `gcsflux run`.
#include "cli/run/command_file.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>

#include <sstream>

#include "support/result.h"

DECLARE_bool(recursive);
DECLARE_int32(jobs);

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitWords, SplitsAsAShell) {
  EXPECT_THAT(*SplitWords("cp  a\tgs://b/a\r"), ElementsAre("cp", "a", "gs://b/a"));
  EXPECT_THAT(*SplitWords(R"(cp 'a b' "c \"d\" e" f\ g)"), ElementsAre("cp", "a b", R"(c "d" e)", "f g"));
  EXPECT_THAT(*SplitWords(R"(rm gs://b/'x y'z)"), ElementsAre("rm", "gs://b/x yz"));
  EXPECT_THAT(*SplitWords(R"(rm "" 'a\b')"), ElementsAre("rm", "", R"(a\b)"));
  EXPECT_THAT(*SplitWords("ls gs://b/a#1 # and a comment"), ElementsAre("ls", "gs://b/a#1"));
  EXPECT_THAT(*SplitWords("  # only a comment"), IsEmpty());
  EXPECT_THAT(*SplitWords(""), IsEmpty());
}

TEST(SplitWords, RefusesAQuotationWithoutAnEnd) {
  for (const char* line : {"cp 'a", "cp \"a", "cp \"a\\\""}) {
    EXPECT_EQ(testing::ErrorOf(SplitWords(line)).code, ErrorCode::kInvalidArgument) << line;
  }
}

TEST(ReadCommandFile, NumbersLinesAndLeavesOutEmptyOnes) {
  std::istringstream file("ls gs://bkt\n\n# comment\nrm -rf gs://bkt/a");
  const auto lines = ReadCommandFile(file);
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_EQ(lines->size(), 2U);
  EXPECT_EQ((*lines)[1].number, 4U);
  EXPECT_THAT((*lines)[1].words, ElementsAre("rm", "-rf", "gs://bkt/a"));
}

TEST(ReadCommandFile, NamesTheLineThatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {{"lss gs://bkt", "did you mean 'ls'?"},
                                                       {"ls --none gs://bkt", "unknown flag --none"},
                                                       {"ls --delete gs://bkt", "not for the command 'ls'"},
                                                       {"cp a", "usage: gcsflux cp"},
                                                       {"cp a gs://b/x", "shorter than 3"},
                                                       {"cp 'a gs://bkt", "does not end"},
                                                       {"cp - gs://bkt/a", "cannot read standard input"},
                                                       {"run other", "run cannot run itself"},
                                                       {"-q", "a command is missing"}};
  for (const auto& [line, want] : cases) {
    std::istringstream file(std::string("ls gs://bkt\n") + line + "\n");
    const Error error = testing::ErrorOf(ReadCommandFile(file));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << line;
    EXPECT_THAT(error.message, AllOf(HasSubstr("line 2: "), HasSubstr(want), HasSubstr("no command was run")));
  }
}

TEST(ReadCommandFile, ChangesNoFlagAndAcceptsThoseOfRun) {
  const gflags::FlagSaver restores_all;
  FLAGS_jobs = 3;
  std::istringstream file("ls -r gs://bkt\n");
  EXPECT_TRUE(ReadCommandFile(file).ok());
  EXPECT_FALSE(FLAGS_recursive);
  EXPECT_EQ(FLAGS_jobs, 3);
}

TEST(ReadCommandFile, FlagsOfRunAreThoseOfEachLine) {
  const gflags::FlagSaver restores_all;
  gflags::SetCommandLineOption("dry_run", "true");
  gflags::SetCommandLineOption("json", "true");
  std::istringstream file("ls gs://bkt\ncat gs://bkt/a\n");
  EXPECT_THAT(testing::ErrorOf(ReadCommandFile(file)).message, HasSubstr("line 2: flag --json: 'cat' prints"));
}

}  // namespace
}  // namespace gcsflux::cli
