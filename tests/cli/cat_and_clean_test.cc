// cat of many, clean, ls and rm of many, by the program against the emulator.
#include <gmock/gmock.h>

#include "cli/command_fixture.h"
#include "gcsflux/emulator/journal_queries.h"

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CatTest : public CommandTest {};
class CleanTest : public CommandTest {};
class ListTest : public CommandTest {};
class RemoveTest : public CommandTest {};

TEST_F(CatTest, WritesObjectsInTheGivenOrder) {
  std::vector<std::string> arguments = {"cat"};
  std::string want;
  for (int i = 0; i < 600; ++i) {
    const std::string bytes = "object " + std::to_string(i) + "\n";
    Store(std::to_string(i), bytes);
    arguments.push_back("gs://bkt/" + std::to_string(i));
    want += bytes;
  }
  const Outcome outcome = RunHeld(arguments, {.operation = "storage.objects.get"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out == want);
  arguments.push_back("gs://bkt/none");
  const Outcome failed = Run(arguments);
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, HasSubstr("gs://bkt/none"));
}

TEST_F(CatTest, ShowsProgressOnATerminalUnlessTheBytesGoThere) {
  Store("a", "1");
  Store("b", "22");
  const Outcome apart = RunOnTerminal({"cat", "gs://bkt/a", "gs://bkt/b"}, ">both");
  EXPECT_THAT(apart.out, HasSubstr("copied 2 objects, 3 B"));
  EXPECT_EQ(ReadFile("both"), "122");
  EXPECT_THAT(RunOnTerminal({"cat", "gs://bkt/a"}, ">one").out, HasSubstr("copied 1 object, 1 B"));
  EXPECT_EQ(RunOnTerminal({"cat", "gs://bkt/a", "gs://bkt/b"}).out, "122");
}

TEST_F(CatTest, DoesNotHoldALargeObjectInMemory) {
  const std::string large(40 << 20, 'x');
  Store("large", large);
  Store("small", "behind");
  const Outcome outcome = Run({"cat", "gs://bkt/small", "gs://bkt/large", "gs://bkt/small"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out == "behind" + large + "behind");
}

// The remainder of a killed composed download: the service cannot distinguish it from this.
TEST_F(CleanTest, DeletesCompositesByAge) {
  Store("dataflux-composed-objects/plain", "not composed");
  const auto composed =
      client_.ComposeObjects({{.name = "dataflux-composed-objects/plain"}}, {"bkt", "dataflux-composed-objects/left"});
  ASSERT_TRUE(composed.ok()) << composed.error().message;
  const Outcome young = Run({"clean", "gs://bkt"});
  EXPECT_EQ(young.status, 0) << young.err;
  EXPECT_THAT(young.err, HasSubstr("deleted 0 of 1"));
  const Outcome dry = Run({"clean", "-n", "gs://bkt", "--older_than=0s"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.err, HasSubstr("gs://bkt: would delete 1 of 1 temporary objects, 12 B"));
  EXPECT_EQ(Run({"clean", "--dry_run", "--json", "gs://bkt", "--older_than=0s"}).out,
            "{\"action\":\"clean\",\"uri\":\"gs://bkt\",\"deleted\":1,\"deleted_bytes\":12,\"kept\":0,"
            "\"uploads_aborted\":0}\n");
  EXPECT_EQ(Objects().size(), 2U);
  const Outcome all = Run({"clean", "gs://bkt", "--older_than=0s"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.err, HasSubstr("deleted 1 of 1"));
  EXPECT_THAT(Objects(), ElementsAre("dataflux-composed-objects/plain"));
}

TEST_F(CleanTest, ShowsProgressOnATerminal) {
  const Outcome outcome = RunOnTerminal({"clean", "gs://bkt"});
  EXPECT_THAT(outcome.out, HasSubstr("cleaning gs://bkt, 0 objects"));
  EXPECT_THAT(outcome.out, HasSubstr("deleted 0 of 0"));
}

TEST_F(ListTest, ShowsProgressOnATerminalUnlessTheNamesGoThere) {
  Store("a/b", "1");
  const Outcome apart = RunOnTerminal({"ls", "-r", "gs://bkt"}, ">names");
  EXPECT_THAT(apart.out, HasSubstr("listing, "));
  EXPECT_THAT(apart.out, HasSubstr("listed 1 object in "));
  EXPECT_EQ(ReadFile("names"), "gs://bkt/a/b\n");
  EXPECT_THAT(RunOnTerminal({"ls", "--count", "gs://bkt"}).out, HasSubstr("listed 1 object in "));
  EXPECT_EQ(RunOnTerminal({"ls", "-r", "--noprogress", "gs://bkt"}, ">names").out, "");
  EXPECT_EQ(RunOnTerminal({"ls", "-r", "gs://bkt"}).out, "gs://bkt/a/b\r\n");
}

TEST_F(CleanTest, RefusesAWrongDurationOrBucket) {
  EXPECT_EQ(Run({"clean", "gs://bkt", "--older_than=1"}).status, 2);
  EXPECT_EQ(Run({"clean", "gs://bkt/x"}).status, 2);
}

TEST_F(RemoveTest, DeletesExactlyTheMatchingObjects) {
  for (int i = 0; i < 200; ++i) Store("x/" + std::to_string(i), "1");
  Store("x", "the name itself");
  Store("xy", "another");
  const Outcome outcome =
      RunHeld({"rm", "-r", "gs://bkt/x", "--max_concurrency=8"}, {.operation = "storage.objects.delete"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(Objects(), ElementsAre("xy"));
  EXPECT_LE(emulator::FindMostInFlight(emulator_.journal()).requests, 8U);
}

}  // namespace
}  // namespace gcsflux::cli
