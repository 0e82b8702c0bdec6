// Lines as users of gsutil, gcloud storage, s5cmd and aws s3 type them, and what each does.
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "cli/command_fixture.h"

namespace gcsflux::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Line {
  std::string line;  ///< Without the name of the program.
  int status = 0;
  std::string out = {};                   ///< All of standard output; with a * at its beginning or end, a part of it.
  std::string err = {};                   ///< A part of standard error.
  std::vector<std::string> objects = {};  ///< What the bucket holds then; not looked at if it is empty.
};

void PrintTo(const Line& line, std::ostream* out) { *out << line.line; }

class HabitsTest : public CommandTest, public ::testing::WithParamInterface<Line> {
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

const std::vector<std::string> kAll = {"a.txt", "b.txt", "c.csv", "logs/1.log", "logs/2.log", "logs/deep/3.log"};

std::vector<std::string> AllAnd(const std::vector<std::string>& more, const std::vector<std::string>& less = {}) {
  std::vector<std::string> names = kAll;
  names.insert(names.end(), more.begin(), more.end());
  std::erase_if(names, [&](const auto& name) { return std::find(less.begin(), less.end(), name) != less.end(); });
  std::sort(names.begin(), names.end());
  return names;
}

const Line kLines[] = {
    // Listing.
    {"ls gs://bkt/logs/", 0, "gs://bkt/logs/deep/\ngs://bkt/logs/1.log\ngs://bkt/logs/2.log\n"},
    {"ls -lh gs://bkt/a.txt", 0, "         5 B  20*"},
    {"ls -la gs://bkt/a.txt", 0, "           5  20*"},
    {"ls -R gs://bkt/logs", 0, "gs://bkt/logs/1.log\ngs://bkt/logs/2.log\ngs://bkt/logs/deep/3.log\n"},
    {"ls gs://bkt/*.txt", 0, "gs://bkt/a.txt\ngs://bkt/b.txt\n"},
    {"ls gs://bkt/?.{csv,txt}", 0, "gs://bkt/a.txt\ngs://bkt/b.txt\ngs://bkt/c.csv\n"},
    {"ls gs://bkt/**.log", 0, "gs://bkt/logs/1.log\ngs://bkt/logs/2.log\ngs://bkt/logs/deep/3.log\n"},
    {"ls gs://bkt/logs/[2-9].log", 0, "gs://bkt/logs/2.log\n"},
    {"ls gs://bkt/*.none", 1, "", "no object matches gs://bkt/*.none"},
    {"ls -h", 0, "gcsflux ls [gs://BUCKET[/PREFIX]...]\n*"},
    {"du -s -h gs://bkt", 0, "        50 B  gs://bkt\n"},
    {"du gs://bkt", 0, "          35  gs://bkt/logs/\n          50  gs://bkt\n"},
    // Copies.
    {"-m cp -r dir gs://bkt/up", 0, "", "copied 1 object", AllAnd({"up/x"})},
    {"-m -q cp -r dir gs://bkt/up", 0, "", "", AllAnd({"up/x"})},
    {"cp -rn dir gs://bkt/up", 0, "", "copied 1 object", AllAnd({"up/x"})},
    {"cp -n local.txt gs://bkt/a.txt", 0, "", "skipped 1 that are there", kAll},
    {"cp -n gs://bkt/a.txt gs://bkt/b.txt", 0, "", "skipped 1 that are there", kAll},
    {"cp -n gs://bkt/a.txt local.txt", 0, "", "skipped 1 that are there", kAll},
    {"cp --no-clobber local.txt gs://bkt/new.txt", 0, "", "", AllAnd({"new.txt"})},
    {"cp gs://bkt/a.txt new/", 0},
    {"cp gs://bkt/*.txt new/", 0, "", "copied 2 objects"},
    {"cp gs://bkt/logs/** gs://bkt/flat/", 0, "", "copied 3 objects",
     AllAnd({"flat/1.log", "flat/2.log", "flat/3.log"})},
    {"cp gs://bkt/*.txt one", 2, "", "end 'one' with a slash"},
    {"cp gs://bkt/*.none new/", 1, "", "no object matches"},
    {"cp --dry-run local.txt gs://bkt/new", 0, "copy local.txt to gs://bkt/new\n", "would copy 1 object, 5 B", kAll},
    {"cat gs://bkt/?.txt", 0, "a.txtb.txt"},
    {"stat gs://bkt/c*", 0, "gs://bkt/c.csv\n*"},
    // Moves.
    {"mv gs://bkt/a.txt gs://bkt/z.txt", 0, "", "", AllAnd({"z.txt"}, {"a.txt"})},
    {"mv gs://bkt/a.txt gs://bkt/new/", 0, "", "", AllAnd({"new/a.txt"}, {"a.txt"})},
    {"mv gs://bkt/*.txt gs://bkt/new/", 0, "", "copied 2", AllAnd({"new/a.txt", "new/b.txt"}, {"a.txt", "b.txt"})},
    {"mv -r gs://bkt/logs gs://bkt/old", 0, "", "copied 3",
     AllAnd({"old/1.log", "old/2.log", "old/deep/3.log"}, {"logs/1.log", "logs/2.log", "logs/deep/3.log"})},
    {"mv -n gs://bkt/a.txt gs://bkt/b.txt", 0, "", "skipped 1 that are there", kAll},
    {"mv gs://bkt/a.txt gs://bkt/a.txt", 2, "", "onto or into itself", kAll},
    {"mv gs://bkt/a.txt gs://bkt/", 2, "", "onto or into itself", kAll},
    {"mv -r gs://bkt/logs gs://bkt/logs/old", 2, "", "onto or into itself", kAll},
    {"mv gs://bkt/none gs://bkt/x", 1, "", "404", kAll},
    {"mv local.txt gs://bkt/x", 2, "", "mv moves objects only", kAll},
    // Removal.
    {"rm -rf gs://bkt/logs", 0, "", "", {"a.txt", "b.txt", "c.csv"}},
    {"rm -f gs://bkt/none", 0, "", "", kAll},
    {"rm gs://bkt/none", 1, "", "404", kAll},
    {"rm gs://bkt/*.txt", 2, "", "matches 2 objects, from gs://bkt/a.txt to gs://bkt/b.txt; to remove them, add -f",
     kAll},
    {"rm -f gs://bkt/*.txt", 0, "", "", AllAnd({}, {"a.txt", "b.txt"})},
    {"rm -r gs://bkt/logs/**", 0, "", "", {"a.txt", "b.txt", "c.csv"}},
    {"rm -f gs://bkt/*.none", 0, "", "", kAll},
    {"sync -r -d -n dir gs://bkt/logs", 0,
     "copy dir/x to gs://bkt/logs/x\ndelete gs://bkt/logs/1.log\ndelete gs://bkt/logs/2.log\ndelete "
     "gs://bkt/logs/deep/3.log\n",
     "would copy 1 object", kAll},
    // Some of many.
    {"ls -r gs://bkt --exclude=*.log", 0, "gs://bkt/a.txt\ngs://bkt/b.txt\ngs://bkt/c.csv\n"},
    {"ls gs://bkt --include=none},{*.csv,a*}", 0, "gs://bkt/logs/\ngs://bkt/a.txt\ngs://bkt/c.csv\n"},
    {"ls gs://bkt --include=*.{csv,log},a*", 0, "gs://bkt/logs/\ngs://bkt/a.txt\ngs://bkt/c.csv\n"},
    {"ls -r gs://bkt/logs --include=deep/*", 0, ""},
    {"ls -r gs://bkt/logs/ --include=deep/*", 0, "gs://bkt/logs/deep/3.log\n"},
    {"ls -r gs://bkt --larger_than=5 --smaller_than=0.02K", 0,
     "gs://bkt/logs/1.log\ngs://bkt/logs/2.log\ngs://bkt/logs/deep/3.log\n"},
    {"ls -r gs://bkt --newer_than=1h --count", 0, "6 objects  50 bytes  gs://bkt\n"},
    {"ls -r gs://bkt --newer_than=0s", 0, ""},
    {"cp -r gs://bkt new --exclude=*.txt,logs/deep/*", 0, "", "copied 3 objects"},
    {"cp gs://bkt/* new/ --exclude=b*", 0, "", "copied 2 objects"},
    {"cp gs://bkt/a.txt new/ --exclude=a*", 0},
    {"cp -r dir gs://bkt/up --smaller_than=1", 0, "", "copied 0 objects", kAll},
    {"mv -r gs://bkt/logs gs://bkt/old --include=2*", 0, "", "copied 1", AllAnd({"old/2.log"}, {"logs/2.log"})},
    {"rm -r gs://bkt --exclude=*.txt", 0, "", "", {"a.txt", "b.txt"}},
    {"rm -f gs://bkt/logs/** --include=3*", 0, "", "", AllAnd({}, {"logs/deep/3.log"})},
    {"rm -r gs://bkt/logs --include=none", 0, "", "", kAll},
    {"sync dir gs://bkt/logs --delete --exclude=*.log", 0, "", "copied 1 object", AllAnd({"logs/x"})},
    {"sync dir gs://bkt/logs --delete --exclude=x,1*", 0, "", "deleted 2",
     AllAnd({}, {"logs/2.log", "logs/deep/3.log"})},
    {"ls gs://bkt --exclude=[a", 2, "", "flag --exclude: pattern '[a': '[' has no ']'"},
    {"rm -r gs://bkt --larger_than=10X", 2, "", "flag --larger_than: '10X' is not a size", kAll},
    {"rm -r gs://bkt --newer_than=x", 2, "", "flag --newer_than: 'x' is not a duration", kAll},
    // Of single objects.
    {"cat -r 2-4 gs://bkt/a.txt", 0, "txt"},
    {"cat --range=3- gs://bkt/a.txt gs://bkt/b.txt", 0, "xtxt"},
    {"cat -r -2 gs://bkt/a.txt", 0, "xt"},
    {"cat -r 9- gs://bkt/a.txt", 0, ""},
    {"cat -r 0-18446744073709551615 gs://bkt/a.txt", 0, "a.txt"},
    {"cat -r 4-2 gs://bkt/a.txt", 2, "", "flag --range: '4-2' is not a-b"},
    {"cat -r x gs://bkt/a.txt", 2, "", "flag --range: 'x' is not a-b"},
    {"compose gs://bkt/a.txt gs://bkt/c.csv gs://bkt/ac.txt", 0, "", "", AllAnd({"ac.txt"})},
    {"compose gs://bkt/none gs://bkt/ac.txt", 1, "", "404", kAll},
    {"compose gs://other/a gs://bkt/ac.txt", 2, "", "is in another bucket", kAll},
    {"hash local.txt gs://bkt/?.txt", 0, "acdad6d0  local.txt\ne8acd50f  gs://bkt/a.txt\na09f65fb  gs://bkt/b.txt\n"},
    {"hash none", 1, "", "none"},
    {"sign gs://bkt/a.txt", 1, "", "anonymous"},
    {"sign -d 8d gs://bkt/a.txt", 2, "", "7 days"},
    {"sign -d x gs://bkt/a.txt", 2, "", "flag --duration: 'x'"},
    {"sign --method=PATCH gs://bkt/a.txt", 2, "", "must be GET, HEAD, PUT, DELETE or POST"},
    {"setmeta --content_type=text/x gs://bkt/a.txt", 0},
    {"setmeta gs://bkt/a.txt", 2, "", "nothing is to be changed"},
    {"setmeta --metadata==v gs://bkt/a.txt", 2, "", "'=v' is not key=value"},
    {"setmeta --metadata=k=v gs://bkt/none", 1, "", "404"},
    {"rb gs://bkt", 1, "", "gs://bkt is not empty; to delete its objects too, add -f", kAll},
    {"rb gs://bkt/a.txt", 2, "", "gs://bkt/a.txt", kAll},
    // What does not exist, and what may have been meant.
    {"rsync dir gs://bkt/x", 2, "", "no command 'rsync'; did you mean 'sync'?"},
    {"remove gs://bkt/a.txt", 2, "", "did you mean 'rm'?", kAll},
    {"cp --recursve dir gs://bkt/x", 2, "", "unknown flag --recursve; did you mean --recursive?", kAll},
    {"ls -z", 2, "", "unknown flag --z"},
    {"help", 0, "gcsflux COMMAND*"},
    {"help cp", 0, "gcsflux cp SOURCE*"},
    {"help mvv", 2, "", "did you mean 'mv'?"},
    {"version", 0, "gcsflux *"},
};

INSTANTIATE_TEST_SUITE_P(Lines, HabitsTest, ::testing::ValuesIn(kLines), [](const auto& line) {
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

TEST_F(HabitsAloneTest, AMoveDeletesTheGenerationThatItCopied) {
  Store("a", "1");
  ASSERT_EQ(Run({"mv", "gs://bkt/a", "gs://bkt/b"}).status, 0);
  const auto records = emulator_.journal();
  const auto deletion = std::find_if(records.begin(), records.end(),
                                     [](const auto& record) { return record.operation == "storage.objects.delete"; });
  ASSERT_NE(deletion, records.end());
  EXPECT_THAT(deletion->target, HasSubstr("generation="));
}

TEST_F(HabitsAloneTest, AMoveThatCannotCopyLeavesItsSource) {
  Store("a", "1");
  Load({.operation = "storage.objects.rewrite"}, {.type = "status", .status = 403});
  EXPECT_EQ(Run({"mv", "gs://bkt/a", "gs://bkt/b"}).status, 1);
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  EXPECT_THAT(Objects(), ElementsAre("a"));
}

TEST_F(HabitsAloneTest, QuietLeavesOnlyErrors) {
  WriteFile("dir/x", "1");
  EXPECT_EQ(RunOnTerminal({"cp", "-r", "-q", "dir", "gs://bkt/up"}).out, "");
  EXPECT_EQ(RunOnTerminal({"-q", "clean", "gs://bkt"}).out, "");
  EXPECT_THAT(RunOnTerminal({"-q", "rm", "gs://bkt/none"}).out, HasSubstr("404"));
}

}  // namespace
}  // namespace gcsflux::cli
