// Lines as users of gsutil, gcloud storage, s5cmd and aws s3 type them, and what each does.
#include "cli/habits.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "cli/command_fixture.h"
#include "emulator/support/raw_connection.h"

namespace gcsflux::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class HabitsTest : public CommandTest, public ::testing::WithParamInterface<Habit> {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    for (const char* name : {"a.txt", "b.txt", "c.csv", "logs/1.log", "logs/2.log", "logs/deep/3.log"})
      Store(name, name);
    WriteFile("local.txt", "local");
    WriteFile("dir/x", "x");
  }
};

TEST_P(HabitsTest, DoesWhatIsMeant) {
  std::istringstream text(GetParam().line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  const Outcome outcome = Run(words);
  EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
  const std::string& out = GetParam().out;
  if (out.ends_with('*')) {
    EXPECT_THAT(outcome.out, HasSubstr(out.substr(0, out.size() - 1)));
  } else {
    EXPECT_EQ(outcome.out, out);
  }
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().err));
  EXPECT_EQ(outcome.err.empty(), GetParam().err.empty()) << outcome.err;
  EXPECT_EQ(Objects(), GetParam().objects.empty() ? Objects() : GetParam().objects);
}

INSTANTIATE_TEST_SUITE_P(Habits, HabitsTest, ::testing::ValuesIn(Habits()), [](const auto& line) {
  std::string name = std::to_string(line.index) + "_" + line.param.line;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

class HabitsAloneTest : public CommandTest {};

TEST_F(HabitsAloneTest, ANameThatExistsIsNoPattern) {
  Store("a*", "star");
  Store("ab", "other");
  EXPECT_EQ(Run({"cat", "gs://bkt/a*"}).out, "star");
  EXPECT_EQ(Run({"ls", "gs://bkt/a*"}).out, "gs://bkt/a*\n");
  EXPECT_EQ(Run({"cp", "gs://bkt/a*", "copy"}).status, 0);
  EXPECT_EQ(ReadFile("copy"), "star");
  EXPECT_EQ(Run({"mv", "gs://bkt/a*", "gs://bkt/b"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("ab", "b"));
  Store("a*", "star");
  EXPECT_EQ(Run({"rm", "gs://bkt/a*"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("ab", "b"));
}

TEST_F(HabitsAloneTest, SetmetaChangesWhatIsNamed) {
  Store("a", "text");
  ASSERT_EQ(Run({"setmeta", "gs://bkt/a", "--cache_control=no-store", "--metadata=k=v,l=w"}).status, 0);
  ASSERT_EQ(Run({"setmeta", "gs://bkt/*", "--content_type=text/x", "--metadata=k="}).status, 0);
  const auto object = client_.GetObject({"bkt", "a"});
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->content_type + " " + object->cache_control, "text/x no-store");
  EXPECT_EQ(object->metadata, (std::map<std::string, std::string>{{"l", "w"}}));
  ASSERT_EQ(Run({"setmeta", "gs://bkt/a", "--cache_control="}).status, 0);
  EXPECT_EQ(client_.GetObject({"bkt", "a"})->cache_control, "");
}

TEST_F(HabitsAloneTest, ComposeJoinsInOrderAndTakesTheTypeOfTheName) {
  for (const char* name : {"a", "b", "all.txt"}) Store(name, name);
  ASSERT_EQ(Run({"compose", "gs://bkt/b", "gs://bkt/a", "gs://bkt/all.txt"}).status, 0);
  EXPECT_EQ(Stored("all.txt"), "ba");
  EXPECT_EQ(client_.GetObject({"bkt", "all.txt"})->content_type, "text/plain");
}

TEST_F(HabitsAloneTest, RemovesABucketWithItsObjectsOnlyByForce) {
  ASSERT_EQ(Run({"mb", "gs://other"}).status, 0);
  ASSERT_EQ(Run({"rb", "gs://other"}).status, 0);
  Store("a", "1");
  EXPECT_EQ(Run({"rb", "gs://bkt"}).status, 1);
  EXPECT_EQ(Stored("a"), "1");
  ASSERT_EQ(Run({"rb", "-f", "gs://bkt"}).status, 0);
  EXPECT_EQ(client_.GetBucket("bkt").error().code, ErrorCode::kNotFound);
}

TEST_F(HabitsAloneTest, SyncDeletesNothingWhoseSourceIsFiltered) {
  WriteFile("dir/x", "small");
  WriteFile("dir/y", "a larger one");
  for (const char* name : {"t/x", "t/y", "t/z"}) Store(name, "old");
  const Outcome outcome = Run({"sync", "dir", "gs://bkt/t", "--delete", "--larger_than=10"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(Objects(), ElementsAre("t/x", "t/y"));
  EXPECT_EQ(Stored("t/x") + Stored("t/y"), "olda larger one");
}

TEST_F(HabitsAloneTest, ContentTypesGoByTheExtension) {
  const auto type_of = [&](const std::string& name) { return client_.GetObject({"bkt", name})->content_type; };
  for (const char* name : {"page.HTML", "data.jsonl", "bare", "weights.unknown", "dir/archive.tar.gz"})
    WriteFile(name, "1");
  ASSERT_EQ(Run({"cp", "page.HTML", "data.jsonl", "bare", "weights.unknown", "dir/archive.tar.gz", "gs://bkt/"}).status,
            0);
  EXPECT_EQ(type_of("page.HTML"), "text/html");
  EXPECT_EQ(type_of("data.jsonl"), "application/jsonl");
  EXPECT_EQ(type_of("bare"), "application/octet-stream");
  EXPECT_EQ(type_of("weights.unknown"), "application/octet-stream");
  EXPECT_EQ(type_of("archive.tar.gz"), "application/gzip");
  ASSERT_EQ(Run({"cp", "page.HTML", "gs://bkt/index"}).status, 0);
  EXPECT_EQ(type_of("index"), "text/html") << "by the file's name, as the object's has no extension";
  ASSERT_EQ(Run({"cp", "page.HTML", "gs://bkt/a.json"}).status, 0);
  EXPECT_EQ(type_of("a.json"), "application/json");
  ASSERT_EQ(Run({"cp", "page.HTML", "gs://bkt/set", "--content-type=a/b", "--cache-control=no-store"}).status, 0);
  EXPECT_EQ(type_of("set"), "a/b");
  EXPECT_EQ(client_.GetObject({"bkt", "set"})->cache_control, "no-store");
  ASSERT_EQ(Run({"cp", "gs://bkt/set", "gs://bkt/kept.html"}).status, 0);
  EXPECT_EQ(type_of("kept.html"), "a/b") << "a copy keeps its source's";
  EXPECT_EQ(client_.GetObject({"bkt", "kept.html"})->cache_control, "no-store");
  ASSERT_EQ(Run({"cp", "gs://bkt/set", "gs://bkt/other", "--cache_control=max-age=60"}).status, 0);
  EXPECT_EQ(type_of("other"), "a/b");
  EXPECT_EQ(client_.GetObject({"bkt", "other"})->cache_control, "max-age=60");
}

TEST_F(HabitsAloneTest, AMoveWithinABucketIsOneStepOfTheService) {
  Store("a", "1");
  Store("d/1", "1");
  Store("d/2", "2");
  ASSERT_EQ(Run({"mv", "gs://bkt/a", "gs://bkt/b"}).status, 0);
  ASSERT_EQ(Run({"mv", "-r", "gs://bkt/d", "gs://bkt/e"}).status, 0);
  EXPECT_THAT(Objects(), ElementsAre("b", "e/1", "e/2"));
  EXPECT_EQ(Requests("storage.objects.move"), 3U);
  EXPECT_EQ(Requests("storage.objects.rewrite") + Requests("storage.objects.delete"), 0U);
}

TEST_F(HabitsAloneTest, ListsOldGenerationsOldestFirst) {
  emulator::RawConnection connection(emulator_.endpoint());
  ASSERT_EQ(connection.Call("PATCH", "/storage/v1/b/bkt", "", R"({"versioning": {"enabled": true}})").status, 200);
  Store("a", "old");
  const auto old = client_.GetObject({"bkt", "a"})->generation;
  Store("a", "new");
  const auto now = client_.GetObject({"bkt", "a"})->generation;
  const std::string both = "gs://bkt/a#" + std::to_string(old) + "\ngs://bkt/a#" + std::to_string(now) + "\n";
  EXPECT_EQ(Run({"ls", "-a", "gs://bkt"}).out, both);
  EXPECT_EQ(Run({"ls", "-ar", "gs://bkt"}).out, both);
  EXPECT_EQ(Run({"ls", "-a", "gs://bkt/*"}).out, both);
  EXPECT_EQ(Run({"ls", "-a", "--count", "gs://bkt"}).out, "2 objects  6 bytes  gs://bkt\n");
  EXPECT_EQ(Run({"ls", "gs://bkt"}).out, "gs://bkt/a\n");
}

TEST_F(HabitsAloneTest, MatchesOfManyPagesArePrintedPageByPage) {
  emulator::Emulator many({.virtual_buckets = {{.name = "many", .count = 12'000}}});
  testing::ChildProgram program(GCSFLUX_PROGRAM, {"ls", "gs://many/**"}, {"STORAGE_EMULATOR_HOST=" + many.endpoint()});
  const Outcome outcome = Finish(program);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 12'000);
  const auto lists = many.journal();
  EXPECT_EQ(std::count_if(lists.begin(), lists.end(),
                          [](const auto& record) { return record.target.find("matchGlob") != std::string::npos; }),
            3)
      << "pages of 5,000";
}

TEST_F(HabitsAloneTest, MetadataGoesWithUploadsAndCopies) {
  WriteFile("f", "1");
  ASSERT_EQ(Run({"cp", "f", "gs://bkt/a", "--metadata=k=v,l=w"}).status, 0);
  EXPECT_EQ(client_.GetObject({"bkt", "a"})->metadata, (std::map<std::string, std::string>{{"k", "v"}, {"l", "w"}}));
  ASSERT_EQ(Run({"cp", "gs://bkt/a", "gs://bkt/kept"}).status, 0);
  EXPECT_EQ(client_.GetObject({"bkt", "kept"})->metadata.size(), 2U);
  ASSERT_EQ(Run({"cp", "gs://bkt/a", "gs://bkt/other", "--metadata=n=1"}).status, 0);
  EXPECT_EQ(client_.GetObject({"bkt", "other"})->metadata, (std::map<std::string, std::string>{{"n", "1"}}));
}

TEST_F(HabitsAloneTest, AMoveDeletesTheGenerationThatItCopied) {
  Store("a", "1");
  Load({.operation = "storage.objects.move"}, {.type = "status", .status = 501});
  ASSERT_EQ(Run({"mv", "gs://bkt/a", "gs://bkt/b"}).status, 0);
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  const auto records = emulator_.journal();
  const auto deletion = std::find_if(records.begin(), records.end(),
                                     [](const auto& record) { return record.operation == "storage.objects.delete"; });
  ASSERT_NE(deletion, records.end());
  EXPECT_THAT(deletion->target, HasSubstr("generation="));
}

TEST_F(HabitsAloneTest, AMoveThatCannotCopyLeavesItsSource) {
  ASSERT_TRUE(client_.InsertBucket("other").ok());
  Store("a", "1");
  Load({.operation = "storage.objects.rewrite"}, {.type = "status", .status = 403});
  EXPECT_EQ(Run({"mv", "gs://bkt/a", "gs://other/b"}).status, 1);
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  EXPECT_THAT(Objects(), ElementsAre("a"));
}

TEST_F(HabitsAloneTest, AWildcardOfRmAsksOnATerminal) {
  for (const char* name : {"d/1", "d/2", "e"}) Store(name, "1");
  const Outcome declined = RunOnTerminal({"rm", "-r", "gs://bkt/d/**"}, "", "n");
  EXPECT_EQ(declined.status, 1);
  EXPECT_THAT(declined.out,
              HasSubstr("gs://bkt/d/** matches 2 objects, from gs://bkt/d/1 to gs://bkt/d/2; remove them?"));
  EXPECT_THAT(declined.out, HasSubstr("nothing was removed"));
  EXPECT_THAT(Objects(), ElementsAre("d/1", "d/2", "e"));
  EXPECT_EQ(RunOnTerminal({"rm", "gs://bkt/d/*"}, "", "yes").status, 0);
  EXPECT_THAT(Objects(), ElementsAre("e"));
  const Outcome forced = RunOnTerminal({"rm", "-rf", "gs://bkt/**"}, "", "n");
  EXPECT_EQ(forced.out.find("remove them?"), forced.out.npos) << forced.out;
  EXPECT_THAT(Objects(), IsEmpty());
}

TEST_F(HabitsAloneTest, QuietLeavesOnlyErrors) {
  WriteFile("dir/x", "1");
  EXPECT_EQ(RunOnTerminal({"cp", "-r", "-q", "dir", "gs://bkt/up"}).out, "");
  EXPECT_EQ(RunOnTerminal({"-q", "clean", "gs://bkt"}).out, "");
  EXPECT_THAT(RunOnTerminal({"-q", "rm", "gs://bkt/none"}).out, HasSubstr("404"));
}

}  // namespace
}  // namespace gcsflux::cli
