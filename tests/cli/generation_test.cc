// NAME#GENERATION as an argument of the command.
#include "cli/arguments/generation.h"

#include <gmock/gmock.h>

#include "cli/command_fixture.h"
#include "emulator/support/raw_connection.h"

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SplitGeneration, TakesANumberBehindTheLastMark) {
  const NamedObject want{{"b", "a#1"}, 17};
  EXPECT_EQ(SplitGeneration({"b", "a#1#17"}), want);
  for (const char* name : {"a", "a#", "#17", "a#x", "a#-1", "a# 1", "a#17/b", "a#99999999999999999999"}) {
    EXPECT_EQ(SplitGeneration({"b", name}), std::nullopt) << name;
  }
}

class GenerationTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    emulator::RawConnection connection(emulator_.endpoint());
    ASSERT_EQ(connection.Call("PATCH", "/storage/v1/b/bkt", "", R"({"versioning": {"enabled": true}})").status, 200);
    Store("a", "old");
    old_ = "gs://bkt/a#" + std::to_string(client_.GetObject({"bkt", "a"})->generation);
    Store("a", "new");
  }

  // Of the name "a", the oldest first.
  std::string Generations() { return Run({"ls", "-a", "gs://bkt/a"}).out; }

  std::string old_;
};

TEST_F(GenerationTest, IsReadByCatAndStat) {
  EXPECT_EQ(Run({"cat", old_}).out, "old");
  EXPECT_EQ(Run({"cat", old_, "gs://bkt/a"}).out, "oldnew");
  EXPECT_EQ(Run({"cat", "-r", "1-", old_}).out, "ld");
  EXPECT_EQ(Run({"cp", old_, "-"}).out, "old");
  EXPECT_THAT(Run({"stat", old_}).out, HasSubstr(old_ + "\n"));
  EXPECT_THAT(Run({"hash", old_}).out, HasSubstr(old_ + "\n"));
}

TEST_F(GenerationTest, IsCopiedUnderItsName) {
  ASSERT_EQ(Run({"cp", old_, "copy"}).status, 0);
  EXPECT_EQ(ReadFile("copy"), "old");
  ASSERT_EQ(Run({"cp", old_, "dir/"}).status, 0);
  EXPECT_EQ(ReadFile("dir/a"), "old");
  ASSERT_EQ(Run({"cp", old_, "gs://bkt/b"}).status, 0);
  EXPECT_EQ(Stored("b"), "old");
  ASSERT_EQ(Run({"cp", "--content_type=text/x", old_, "gs://bkt/typed"}).status, 0);
  EXPECT_EQ(Stored("typed"), "old");
  EXPECT_EQ(Run({"cp", "--dry_run", old_, "gs://bkt/c"}).out, "copy " + old_ + " to gs://bkt/c\n");
}

TEST_F(GenerationTest, IsRestoredByACopyOntoItsName) {
  ASSERT_EQ(Run({"cp", old_, "gs://bkt/a"}).status, 0);
  EXPECT_EQ(Stored("a"), "old");
  EXPECT_EQ(Run({"cp", "-n", old_, "gs://bkt/a"}).status, 0);
}

TEST_F(GenerationTest, IsMovedAndTheLiveOneStays) {
  ASSERT_EQ(Run({"mv", old_, "gs://bkt/b"}).status, 0);
  EXPECT_EQ(Stored("b"), "old");
  EXPECT_EQ(Stored("a"), "new");
  EXPECT_EQ(Run({"cat", old_}).status, 1);
}

TEST_F(GenerationTest, IsRemovedAlone) {
  EXPECT_EQ(Run({"rm", "--dry_run", old_}).out, "delete " + old_ + "\n");
  EXPECT_THAT(Generations(), HasSubstr(old_));
  ASSERT_EQ(Run({"rm", old_}).status, 0);
  EXPECT_THAT(Generations(), ::testing::Not(HasSubstr(old_)));
  EXPECT_EQ(Stored("a"), "new");
}

TEST_F(GenerationTest, IsRemovedRecursivelyAsGsutilDoes) {
  ASSERT_EQ(Run({"rm", "-r", old_}).status, 0);
  EXPECT_EQ(Stored("a"), "new");
}

TEST_F(GenerationTest, IsNotReplacedByTheLiveOneIfItIsGone) {
  ASSERT_EQ(Run({"rm", old_}).status, 0);
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"cat", old_}, {"cp", old_, "copy"}, {"cp", old_, "gs://bkt/b"}, {"mv", old_, "gs://bkt/b"}, {"rm", old_}}) {
    const Outcome outcome = Run(line);
    EXPECT_EQ(outcome.status, 1) << line[0];
    EXPECT_THAT(outcome.err, HasSubstr("'gs://bkt/a' has no generation ")) << line[0];
    EXPECT_EQ(outcome.out, "") << line[0];
  }
  EXPECT_THAT(Objects(), ElementsAre("a"));
}

TEST_F(GenerationTest, ThatVanishesDuringTheCopyIsAnError) {
  // After three looks: at the literal name, at the generation, and at its size.
  Load({.operation = "storage.objects.get", .nth = 4}, {.type = "status", .status = 404});
  EXPECT_EQ(Run({"cp", old_, "copy"}).status, 1);
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  EXPECT_EQ(Run({"cat", old_}).out, "old");
}

TEST_F(GenerationTest, IsNotMeantIfAnObjectHasJustThatName) {
  const std::string name = old_.substr(std::string("gs://bkt/").size());
  Store(name, "literal");
  const Outcome outcome = Run({"cat", old_});
  EXPECT_EQ(outcome.out, "literal");
  EXPECT_THAT(outcome.err, HasSubstr("'" + old_ + "' is the name of an object"));
  ASSERT_EQ(Run({"rm", old_}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("a"));
  EXPECT_EQ(Run({"cat", old_}).out, "old");
}

TEST_F(GenerationTest, IsPartOfTheNameAtADestination) {
  WriteFile("f", "literal");
  ASSERT_EQ(Run({"cp", "f", "gs://bkt/issue#12"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("a", "issue#12"));
}

}  // namespace
}  // namespace gcsflux::cli
