// sync, by the program against the emulator.
#include <gmock/gmock.h>

#include "cli/command_fixture.h"
#include "gcsflux/emulator/journal_queries.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SyncTest : public CommandTest {};

TEST_F(SyncTest, MakesTheDestinationEqualTheSource) {
  WriteFile("data/a", "1");
  WriteFile("data/b/c", "changed");
  Store("x/a", "1");
  Store("x/b/c", "another");
  Store("x/extra", "");
  Store("xtra", "not below x");
  const Outcome careful = Run({"sync", "data", "gs://bkt/x"});
  EXPECT_EQ(careful.status, 0) << careful.err;
  EXPECT_THAT(careful.err, AllOf(HasSubstr("copied 1 object, 7 B"), HasSubstr("skipped 1"), Not(HasSubstr("deleted"))));
  EXPECT_THAT(Objects(), ElementsAre("x/a", "x/b/c", "x/extra", "xtra"));
  const Outcome all = Run({"sync", "data", "gs://bkt/x", "--delete"});
  EXPECT_THAT(all.err, AllOf(HasSubstr("copied 0 objects"), HasSubstr("deleted 1")));
  EXPECT_THAT(Objects(), ElementsAre("x/a", "x/b/c", "xtra"));
  EXPECT_EQ(Stored("x/b/c"), "changed");
}

TEST_F(SyncTest, RefusesDirectoriesThatContainOneAnother) {
  for (const char* name : {"a/x", "b"}) Store(name, "1");
  for (const auto& [from, to] :
       {std::pair{"gs://bkt/a", "gs://bkt"}, {"gs://bkt", "gs://bkt/a"}, {"gs://bkt/a", "gs://bkt/a/"}}) {
    const Outcome refused = Run({"sync", from, to, "--delete"});
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("contain one another"));
  }
  EXPECT_THAT(Objects(), ElementsAre("a/x", "b"));
  EXPECT_EQ(Run({"sync", "gs://bkt/a", "gs://bkt/ab"}).status, 0);
}

TEST_F(SyncTest, DeletesEverythingForAnEmptySourceOnlyIfForced) {
  fs::create_directory(PathOf("empty"));
  WriteFile("there/a", "1");
  Store("x/a", "1");
  struct Case {
    std::string from, to;
    int refused;
  };
  for (const Case& c : {Case{"empty", "gs://bkt/x", 2}, Case{"gs://bkt/nothing", "there", 1}}) {
    const Outcome refused = Run({"sync", c.from, c.to, "--delete"});
    EXPECT_EQ(refused.status, c.refused) << c.from << ": " << refused.err;
    EXPECT_EQ(Run({"sync", c.from, c.to, "--delete", "--dry_run"}).status, c.refused);
  }
  EXPECT_EQ(Run({"sync", "empty", "gs://bkt/x"}).status, 0);
  EXPECT_EQ(Run({"sync", "empty", "gs://bkt/another", "--delete"}).status, 0) << "there is nothing to delete";
  EXPECT_THAT(Objects(), ElementsAre("x/a"));
  EXPECT_THAT(Files("there"), ElementsAre("a"));
  EXPECT_EQ(Run({"sync", "empty", "gs://bkt/x", "--delete", "--force"}).status, 0);
  EXPECT_EQ(Run({"sync", "gs://bkt/nothing", "there", "--delete", "--force"}).status, 0);
  EXPECT_TRUE(Objects().empty());
  EXPECT_TRUE(Files("there").empty());
}

TEST_F(SyncTest, KeepsTheObjectsOfExcludedFiles) {
  WriteFile("data/a", "1");
  fs::create_symlink(PathOf("data/a"), PathOf("data/link"));
  for (const char* name : {"x/link", "x/extra"}) Store(name, "1");
  const Outcome synced = Run({"sync", "data", "gs://bkt/x", "--delete"});
  EXPECT_THAT(synced.err, AllOf(HasSubstr("left out '"), HasSubstr("deleted 1")));
  EXPECT_THAT(Objects(), ElementsAre("x/a", "x/link"));
}

TEST_F(SyncTest, DeletesFilesOnlyIfAsked) {
  Store("x/a", "1");
  WriteFile("there/a", "1");
  WriteFile("there/extra", "2");
  WriteFile("outside/file", "3");
  fs::create_directory_symlink(PathOf("outside"), PathOf("there/link"));
  ASSERT_EQ(Run({"sync", "gs://bkt/x", "there"}).status, 0);
  EXPECT_THAT(Files("there"), ElementsAre("a", "extra"));
  ASSERT_EQ(Run({"sync", "gs://bkt/x", "there", "--delete"}).status, 0);
  EXPECT_THAT(Files("there"), ElementsAre("a"));
  EXPECT_EQ(ReadFile("outside/file"), "3");
}

TEST_F(SyncTest, DeletesNothingAfterAFailure) {
  Store("x/../evil", "1");
  Store("x/a", "2");
  WriteFile("there/extra", "3");
  const Outcome outcome = Run({"sync", "gs://bkt/x", "there", "--delete"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("nothing was deleted"));
  EXPECT_THAT(Files("there"), ElementsAre("a", "extra"));
}

TEST_F(SyncTest, DeletesNothingForAMissingSource) {
  WriteFile("there/a", "1");
  Store("x/a", "1");
  EXPECT_EQ(Run({"sync", "gs://bkt/mistyped", "there", "--delete"}).status, 1);
  EXPECT_EQ(Run({"sync", "mistyped", "gs://bkt/x", "--delete"}).status, 1);
  EXPECT_THAT(Files("there"), ElementsAre("a"));
  EXPECT_THAT(Objects(), ElementsAre("x/a"));
}

TEST_F(SyncTest, ComparesBucketsWithoutReading) {
  Store("a/x", "1");
  Store("a/y", "2");
  Store("b/y", "2");
  Store("b/z", "3");
  const Outcome outcome = Run({"sync", "gs://bkt/a", "gs://bkt/b", "--delete"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("copied 1 object"), HasSubstr("skipped 1"), HasSubstr("deleted 1")));
  EXPECT_THAT(Objects(), ElementsAre("a/x", "a/y", "b/x", "b/y"));
}

TEST_F(SyncTest, SurvivesALostAnswerBetweenBuckets) {
  Store("a/x", "1");
  Load({.operation = "storage.objects.rewrite"}, {.type = "loseAnswer"});
  const Outcome outcome = Run({"sync", "gs://bkt/a", "gs://bkt/b"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", "b/x").size(), 1U);
}

TEST_F(SyncTest, DeletesOnlyTheListedGeneration) {
  Store("a/x", "1");
  Store("b/extra", "2");
  ASSERT_EQ(Run({"sync", "gs://bkt/a", "gs://bkt/b", "--delete"}).status, 0);
  for (const auto& record : emulator_.journal()) {
    if (record.operation != "storage.objects.delete") continue;
    EXPECT_THAT(record.target, HasSubstr("generation="));
  }
  EXPECT_EQ(Requests("storage.objects.delete"), 1U);
}

TEST_F(SyncTest, ReadsNoFileToCompareTimes) {
  WriteFile("data/a", "same size");
  Store("x/a", "size same");
  fs::last_write_time(PathOf("data/a"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  const Outcome older = Run({"sync", "data", "gs://bkt/x", "--compare=mtime"});
  EXPECT_THAT(older.err, AllOf(HasSubstr("copied 0 objects"), HasSubstr("skipped 1")));
  fs::last_write_time(PathOf("data/a"), fs::file_time_type::clock::now() + std::chrono::hours(1));
  const Outcome newer = Run({"sync", "data", "gs://bkt/x", "--compare=mtime"});
  EXPECT_THAT(newer.err, HasSubstr("copied 1 object"));
  EXPECT_EQ(Stored("x/a"), "same size");
  EXPECT_EQ(Run({"sync", "data", "gs://bkt/x", "--compare=colour"}).status, 2);
}

}  // namespace
}  // namespace gcsflux::cli
