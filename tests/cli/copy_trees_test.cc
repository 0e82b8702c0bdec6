// cp of trees and of several sources, by the program against the emulator.
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/command_fixture.h"
#include "gcsflux/emulator/journal_queries.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CopyTreesTest : public CommandTest {};

TEST_F(CopyTreesTest, RefusesTwoSourcesWithOneDestination) {
  for (const char* name : {"a/x", "b/x", "c/a/x"}) WriteFile(name, name);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"cp", "a/x", "b/x", "gs://bkt/s/"},
                                                  {"cp", "-r", "a", "c/a", "gs://bkt/s/"},
                                                  {"cp", "-r", "a", "c/.", "gs://bkt/s/"}}) {
    const Outcome refused = Run(command);
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("two sources would both become 'gs://bkt/s/"));
  }
  EXPECT_THAT(Objects(), IsEmpty());
  EXPECT_EQ(Run({"cp", "-r", "a", "b", "gs://bkt/s/"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("s/a/x", "s/b/x"));
}

TEST_F(CopyTreesTest, FailsForPathsThatCannotBeExamined) {
  fs::create_symlink("loop", PathOf("loop"));
  const std::string longest(256, 'n');
  Store("x/" + longest, "1");
  fs::create_directory(PathOf("d"));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"cp", "loop", "gs://bkt/o"},
                                                  {"cp", "-r", "loop", "gs://bkt/o"},
                                                  {"sync", "loop", "gs://bkt/y"},
                                                  {"sync", "gs://bkt/x", "loop/y", "--delete"},
                                                  {"cp", "/proc/version", "gs://bkt/o"}}) {
    const Outcome failed = Run(command);
    EXPECT_EQ(failed.status, 1) << failed.err;
    EXPECT_THAT(failed.err, Not(IsEmpty()));
  }
  EXPECT_THAT(Run({"cp", "gs://bkt/x/" + longest, "d/"}).err, HasSubstr("longer than 255 bytes"));
  EXPECT_EQ(Objects().size(), 1U);
}

TEST_F(CopyTreesTest, CopiesThousandsOfSmallFilesUpAndDown) {
  constexpr int kFiles = 2'000;
  for (int i = 0; i < kFiles; ++i) {
    WriteFile("data/" + std::to_string(i % 37) + "/" + std::to_string(i), "file " + std::to_string(i));
  }
  const Outcome up =
      RunHeld({"cp", "-r", "data", "gs://bkt/", "--max_concurrency=8"}, {.operation = "storage.objects.insert"});
  ASSERT_EQ(up.status, 0) << up.err;
  EXPECT_THAT(up.err, HasSubstr("copied 2000 objects"));
  EXPECT_EQ(Objects().size(), kFiles);
  EXPECT_LE(emulator::FindMostInFlight(emulator_.journal()).requests, 8U);

  const Outcome down = RunHeld({"cp", "--recursive", "gs://bkt/data", "back"}, {.operation = "storage.objects.get"});
  ASSERT_EQ(down.status, 0) << down.err;
  const std::vector<std::string> files = Files("data");
  EXPECT_EQ(Files("back"), files);
  for (const std::string& name : files) ASSERT_EQ(ReadFile("back/" + name), ReadFile("data/" + name)) << name;
}

// Each has 48 requests in flight at once, where --max_concurrency would have 16.
TEST_F(CopyTreesTest, SendsAsManyRequestsAsAreFastest) {
  constexpr std::size_t kHeld = 48;
  for (int i = 0; i < 100; ++i) WriteFile("data/" + std::to_string(i), std::to_string(i));
  EXPECT_EQ(RunHeld({"cp", "-r", "data", "gs://bkt/x"}, {.operation = "storage.objects.insert"}, kHeld).status, 0);
  EXPECT_EQ(RunHeld({"cp", "-r", "gs://bkt/x", "back"}, {.operation = "storage.objects.get"}, kHeld).status, 0);
  EXPECT_EQ(Files("back"), Files("data"));
  EXPECT_EQ(RunHeld({"cp", "-r", "gs://bkt/x", "gs://bkt/y"}, {.operation = "storage.objects.rewrite"}, kHeld).status,
            0);
  EXPECT_EQ(RunHeld({"rm", "-r", "gs://bkt/x"}, {.operation = "storage.objects.delete"}, kHeld).status, 0);
  EXPECT_EQ(Objects().size(), 100U);
}

TEST_F(CopyTreesTest, MovesNothingTheSecondTime) {
  WriteFile("data/a", "1");
  WriteFile("data/b/c", "22");
  ASSERT_EQ(Run({"cp", "-r", "data", "gs://bkt/x"}).status, 0);
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/x", "back"}).status, 0);
  const auto inserts = Requests("storage.objects.insert");
  const auto reads = Requests("storage.objects.get");
  const Outcome up = Run({"cp", "-r", "data", "gs://bkt/x"});
  const Outcome down = Run({"cp", "-r", "gs://bkt/x", "back"});
  for (const Outcome& outcome : {up, down}) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("copied 0 objects"), HasSubstr("skipped 2")));
  }
  EXPECT_EQ(Requests("storage.objects.insert"), inserts);
  EXPECT_EQ(Requests("storage.objects.get"), reads);
}

TEST_F(CopyTreesTest, ChoosesNamesByTheDestinationsSpelling) {
  WriteFile("data/a", "1");
  ASSERT_EQ(Run({"cp", "-r", "data", "gs://bkt"}).status, 0);
  ASSERT_EQ(Run({"cp", "-r", "data", "gs://bkt/into/"}).status, 0);
  ASSERT_EQ(Run({"cp", "-r", "data", "gs://bkt/as"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("as/a", "data/a", "into/data/a"));
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/into/data", "there"}).status, 0);
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/into/data", "there/"}).status, 0);
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/into", "gs://bkt/as", "there"}).status, 0);
  EXPECT_THAT(Files("there"), ElementsAre("a", "as/a", "data/a", "into/data/a"));
}

TEST_F(CopyTreesTest, CopiesASingleFileRecursively) {
  WriteFile("a", "1");
  ASSERT_EQ(Run({"cp", "-r", "a", "gs://bkt/x"}).status, 0);
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/x", "back"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("x"));
  EXPECT_EQ(ReadFile("back"), "1");
  const Outcome none = Run({"cp", "-r", "gs://bkt/none", "back"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("gs://bkt/none"));
  EXPECT_EQ(Run({"cp", "-r", "gs://bkt/none/", "back"}).status, 1);
}

TEST_F(CopyTreesTest, CopiesWithinTheServiceWithoutDownloads) {
  const std::string bytes(10'000, 'x');
  Store("a/x", bytes);
  Store("a/y/z", bytes);
  const auto before = emulator_.counters().bytes_in;
  ASSERT_EQ(Run({"cp", "-r", "gs://bkt/a", "gs://bkt/b"}).status, 0);
  EXPECT_LT(emulator_.counters().bytes_in - before, 100U);
  EXPECT_EQ(Requests("storage.objects.rewrite"), 2U);
  EXPECT_EQ(Requests("storage.objects.get"), 0U);
  EXPECT_EQ(Stored("b/x") + Stored("b/y/z"), bytes + bytes);
}

TEST_F(CopyTreesTest, CopiesTheNewGenerationOfAnOverwrittenObject) {
  Store("x/a", "1");
  const auto rule = [](const std::string& operation) {
    return emulator::FaultRule{
        .name = operation, .match = {.operation = operation, .nth = 1}, .action = {.type = "status", .status = 404}};
  };
  emulator_.faults().Load({.rules = {rule("storage.objects.get"), rule("storage.objects.rewrite")}});
  const Outcome down = Run({"cp", "-r", "gs://bkt/x", "there"});
  EXPECT_EQ(down.status, 0) << down.err;
  EXPECT_EQ(ReadFile("there/a"), "1");
  const Outcome within = Run({"cp", "-r", "gs://bkt/x", "gs://bkt/y"});
  EXPECT_EQ(within.status, 0) << within.err;
  EXPECT_EQ(Stored("y/a"), "1");
  EXPECT_EQ(emulator_.faults().Fired("storage.objects.get"), 1U);
  EXPECT_EQ(emulator_.faults().Fired("storage.objects.rewrite"), 1U);
}

TEST_F(CopyTreesTest, ReadsLargeObjectsOverSeveralConnections) {
  const std::string large(40 << 20, 'x');
  Store("x/large", large);
  Store("x/small", "1");
  const Outcome outcome = RunHeld({"cp", "-r", "gs://bkt/x", "there"}, {.operation = "storage.objects.get"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(ReadFile("there/large") == large);
  const auto records = emulator_.journal();
  EXPECT_EQ(std::count_if(records.begin(), records.end(),
                          [](const auto& r) { return r.operation == "storage.objects.get" && r.object == "x/large"; }),
            3);
  EXPECT_EQ(ReadFile("there/small"), "1");
}

TEST_F(CopyTreesTest, WritesIntoAPipeWithoutReplacingIt) {
  Store("a", "through the pipe");
  ASSERT_EQ(::mkfifo(PathOf("pipe").c_str(), S_IRUSR | S_IWUSR), 0);
  testing::ChildProgram program = Start({"cp", "gs://bkt/a", "pipe"});
  EXPECT_EQ(ReadFile("pipe"), "through the pipe");
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_TRUE(fs::is_fifo(PathOf("pipe")));
}

TEST_F(CopyTreesTest, CopiesSeveralFilesIntoADirectory) {
  WriteFile("a", "1");
  WriteFile("d/b", "2");
  Store("c", "3");
  ASSERT_EQ(Run({"cp", "a", "d/b", "gs://bkt/c", "gs://bkt/into/"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("c", "into/a", "into/b", "into/c"));
  const Outcome wrong = Run({"cp", "a", "d/b", "gs://bkt/into"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("end 'gs://bkt/into' with a slash"));
}

TEST_F(CopyTreesTest, CopiesTheOthersIfOneFails) {
  WriteFile("a", "1");
  const Outcome outcome = Run({"cp", "a", "none", "gs://bkt/"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("'none'"), HasSubstr("1 FAILED")));
  EXPECT_THAT(Objects(), ElementsAre("a"));
}

TEST_F(CopyTreesTest, WritesNoNameOutsideTheDestination) {
  for (const char* name : {"x/../../../evil", "x/..", "x//absolute", "x/./here", "x/ok", "x/deep/../../evil", "x//"}) {
    Store(name, "payload");
  }
  fs::create_directories(PathOf("around/there"));
  const Outcome outcome = Run({"cp", "-r", "gs://bkt/x", "around/there"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("gs://bkt/x/../../../evil"), HasSubstr("'..'"), HasSubstr("6 FAILED")));
  EXPECT_THAT(Files(""), ElementsAre("around/there/ok"));
}

TEST_F(CopyTreesTest, FollowsNoSymbolicLinkOutOfTheDestination) {
  Store("x/link/evil", "payload");
  Store("x/file", "payload");
  WriteFile("outside/file", "untouched");
  fs::create_directories(PathOf("there"));
  fs::create_directory_symlink(PathOf("outside"), PathOf("there/link"));
  fs::create_symlink(PathOf("outside/file"), PathOf("there/file"));
  const Outcome outcome = Run({"cp", "-r", "gs://bkt/x", "there"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("symbolic link"));
  EXPECT_THAT(Files("outside"), ElementsAre("file"));
  EXPECT_EQ(ReadFile("outside/file"), "untouched");
  EXPECT_EQ(ReadFile("there/file"), "payload");
}

TEST_F(CopyTreesTest, SkipsAFileInPlaceOfADirectory) {
  Store("x/a", "1");
  Store("x/a/b", "2");
  Store("x/dir/", "");
  Store("x/" + std::string(256, 'n'), "3");
  const Outcome outcome = Run({"cp", "-r", "gs://bkt/x", "there"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("'gs://bkt/x/a' was not copied"), HasSubstr("255 bytes")));
  EXPECT_THAT(Files("there"), ElementsAre("a/b"));
  EXPECT_TRUE(fs::is_directory(PathOf("there/dir")));
}

TEST_F(CopyTreesTest, SkipsLinksAndPipesWithAMessage) {
  WriteFile("data/a", "1");
  WriteFile("outside", "2");
  fs::create_symlink(PathOf("outside"), PathOf("data/link"));
  ASSERT_EQ(::mkfifo(PathOf("data/pipe").c_str(), 0600), 0);
  WriteFile("data/.b.gcsflux-partial", "of a download");
  const Outcome outcome = Run({"cp", "-r", "data", "gs://bkt/x"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("data/link': it is a symbolic link"), HasSubstr("data/pipe")));
  EXPECT_THAT(Objects(), ElementsAre("x/a"));
}

TEST_F(CopyTreesTest, KeepsExistingNamesUnderNoClobber) {
  WriteFile("data/a", "new");
  WriteFile("data/b", "new");
  Store("x/a", "old");
  const Outcome up = Run({"cp", "-r", "data", "gs://bkt/x", "--no_clobber"});
  EXPECT_EQ(up.status, 0) << up.err;
  EXPECT_THAT(up.err, HasSubstr("skipped 1"));
  EXPECT_EQ(Stored("x/a") + Stored("x/b"), "oldnew");
  Store("x/b", "newer");
  const Outcome down = Run({"cp", "gs://bkt/x/a", "gs://bkt/x/b", "data/", "--no_clobber"});
  EXPECT_EQ(down.status, 0) << down.err;
  EXPECT_THAT(down.err, HasSubstr("skipped 2"));
  EXPECT_EQ(ReadFile("data/a") + ReadFile("data/b"), "newnew");
  const Outcome one = Run({"cp", "data/a", "gs://bkt/x/a", "--no_clobber"});  // It finds out by sending it.
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.err, HasSubstr("copied 0 objects, 0 B"));
}

// After a lost answer, the refusal of the second attempt does not tell whose object exists.
TEST_F(CopyTreesTest, DoesNotSkipItsOwnLostUploadUnderNoClobber) {
  WriteFile("data/a", "new");
  emulator_.faults().Load({.rules = {{.name = "reset",
                                      .match = {.operation = "storage.objects.insert"},
                                      .action = {.type = "reset"},
                                      .limits = {.count = 1}},
                                     {.name = "refused",
                                      .match = {.operation = "storage.objects.insert", .nth = 2},
                                      .action = {.type = "status", .status = 412},
                                      .limits = {.count = 1}}}});
  const Outcome outcome = Run({"cp", "-r", "data", "gs://bkt/x", "--no_clobber"});
  EXPECT_EQ(emulator_.faults().Fired("reset"), 1U);
  EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("may have taken effect"));
}

TEST_F(CopyTreesTest, WritesNothingInADryRun) {
  WriteFile("data/a", "1");
  Store("x/b", "2");
  Store("x/c", "3");
  const auto before = emulator_.counters();
  const Outcome up = Run({"sync", "data", "gs://bkt/x", "--delete", "--dry_run"});
  EXPECT_EQ(up.status, 0) << up.err;
  EXPECT_THAT(up.out, ::testing::Eq("copy data/a to gs://bkt/x/a\ndelete gs://bkt/x/b\ndelete gs://bkt/x/c\n"));
  EXPECT_THAT(up.err, HasSubstr("would copy 1 object, 1 B; would delete 2"));
  const Outcome down = Run({"cp", "-r", "gs://bkt/x", "there", "--dry_run"});
  EXPECT_EQ(down.out, "copy gs://bkt/x/b to there/b\ncopy gs://bkt/x/c to there/c\n");
  EXPECT_FALSE(fs::exists(PathOf("there")));
  EXPECT_EQ(Run({"cp", "gs://bkt/x/b", "one", "--dry_run"}).out, "copy gs://bkt/x/b to one\n");
  for (const auto& count : emulator_.counters().operations) {
    if (count.operation != "storage.objects.list") {
      EXPECT_THAT(before.operations,
                  ::testing::Contains(::testing::Field(&emulator::OperationCount::requests, count.requests)));
    }
  }
  EXPECT_THAT(Objects(), ElementsAre("x/b", "x/c"));
}

TEST_F(CopyTreesTest, ShowsProgressOnATerminal) {
  WriteFile("data/a", "12345");
  const Outcome shown = RunOnTerminal({"cp", "-r", "data", "gs://bkt/x"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("\r\033[K"), HasSubstr("copied 1 object, 5 B")));
  const Outcome one = RunOnTerminal({"cp", "data/a", "gs://bkt/b"});
  EXPECT_THAT(one.out, AllOf(HasSubstr("\r\033[K"), HasSubstr("copied 1 object, 5 B")));
  const Outcome plain = RunOnTerminal({"cp", "-r", "data", "gs://bkt/c", "--noprogress"});
  EXPECT_THAT(plain.out, AllOf(Not(HasSubstr("\r\033[K")), HasSubstr("copied 1 object, 5 B")));
}

TEST_F(CopyTreesTest, StopsAtOnceIfTheServiceIsUnreachable) {
  for (int i = 0; i < 50; ++i) WriteFile("data/" + std::to_string(i), "1");
  const Outcome outcome = Run({"cp", "-r", "data", "gs://bkt/x", "--endpoint=http://127.0.0.1:1",
                               "--upload_retry_deadline_s=0.1", "--list_retry_deadline_s=0.1"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 20) << outcome.err;
}

TEST_F(CopyTreesTest, RefusesFlagsOfOtherCommands) {
  Store("x/a", "1");
  const Outcome outcome = Run({"du", "gs://bkt/x", "--dry_run"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--dry_run is not for the command 'du'"));
  EXPECT_THAT(Objects(), ElementsAre("x/a"));
  EXPECT_THAT(Run({"cp", "-r", "gs://bkt/x", "there", "--delete"}).status, 2);
}

}  // namespace
}  // namespace gcsflux::cli
