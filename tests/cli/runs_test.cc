// `gcsflux runs ls|compare`, by the program against the emulator.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cli/command_fixture.h"
#include "gcsflux/event_writer.h"

namespace gcsflux::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class RunsCommandTest : public CommandTest {
 protected:
  // A finished run of 3 steps, whose loss ends there.
  void StoreRun(const std::string& name, double loss, const std::string& rate, const std::string& tag = "loss") {
    auto events = EventWriter::Open(client_, "gs://bkt/runs/" + name,
                                    {.parameters = {{"model", "net"}, {"rate", rate}}, .revision = "abc"});
    ASSERT_TRUE(events.ok()) << events.error().message;
    for (int step = 1; step <= 3; ++step) events->AddScalar(tag, loss + 3 - step, step);
    ASSERT_TRUE(events->Close().ok());
  }
  std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    }
    return lines;
  }
};

TEST_F(RunsCommandTest, ListsStateStepAndLastValues) {
  StoreRun("a", 0.5, "0.1");
  StoreRun("deeper/b", 0.25, "0.2");
  const Outcome outcome = Run({"runs", "ls", "gs://bkt/runs"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(Lines(outcome.out), ElementsAre(MatchesRegex("run +state +updated +step +loss"),
                                              MatchesRegex("a +finished +[-0-9T:Z]+ +3 +0.5"),
                                              MatchesRegex("deeper/b +finished +[-0-9T:Z]+ +3 +0.25")));
  const Outcome json = Run({"runs", "ls", "--json", "gs://bkt/runs/a"});
  EXPECT_THAT(json.out, MatchesRegex("\\{\"run\":\"a\",\"step\":3,\"state\":\"finished\",.*\"parameters\":\\{\"model\":"
                                     "\"net\",\"rate\":\"0.1\"\\},"
                                     "\"metrics\":\\{\"loss\":0.5\\}\\}\n"));
  EXPECT_EQ(Run({"runs", "compare", "--json", "gs://bkt/runs/a"}).out, json.out);
}

TEST_F(RunsCommandTest, ComparesParametersThatDiffer) {
  StoreRun("a", 0.5, "0.1");
  StoreRun("b", 0.25, "0.2");
  const Outcome outcome = Run({"runs", "compare", "gs://bkt/runs/"});
  EXPECT_THAT(Lines(outcome.out), ElementsAre("run  rate  loss", "a     0.1   0.5", "b     0.2  0.25")) << outcome.err;
  const Outcome none = Run({"runs", "compare", "--metrics=accuracy", "gs://bkt/runs/"});
  EXPECT_THAT(Lines(none.out), ElementsAre("run  rate  accuracy", "a     0.1", "b     0.2"));
}

TEST_F(RunsCommandTest, WritesCsv) {
  StoreRun("a, \"b\"", 0.5, "0.1");
  const Outcome outcome = Run({"runs", "compare", "--csv=" + PathOf("runs.csv"), "gs://bkt/runs/"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      Lines(ReadFile("runs.csv")),
      ElementsAre("run,state,started,updated,revision,step,parameter.model,parameter.rate,loss,loss.min,loss.max",
                  MatchesRegex("\"a, \"\"b\"\"\",finished,[-0-9T:Z]+,[-0-9T:Z]+,abc,3,net,0.1,0.5,0.5,2.5")));
}

TEST_F(RunsCommandTest, WritesOnePageThatNeedsNoNetwork) {
  StoreRun("a", 0.5, "0.1", "</script><b>");
  StoreRun("b", std::numeric_limits<double>::quiet_NaN(), "0.1");
  const Outcome outcome = Run({"runs", "compare", "--html=" + PathOf("runs.html"), "gs://bkt/runs/"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::string page = ReadFile("runs.html");
  EXPECT_THAT(page,
              HasSubstr("\"name\":\"a\",\"lines\":{\"\\u003c/script>\\u003cb>\":[[1,0,2.5],[2,0,1.5],[3,0,0.5]]}"));
  EXPECT_THAT(page, HasSubstr("\"loss\":[[1,0,null]"));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  const std::string name_space = "http://www.w3.org/2000/svg";
  const std::size_t at = page.find(name_space);
  ASSERT_NE(at, std::string::npos);
  page.erase(at, name_space.size());
  for (const char* link : {"http://", "https://", "src=", "href=", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(link)));
}

TEST_F(RunsCommandTest, ReadsRunsOfOtherWriters) {
  StoreRun("a", 0.5, "0.1");
  ASSERT_TRUE(client_.DeleteObject({"bkt", "runs/a/run.json"}).ok());
  Store("runs/b/run.json", "another program's");
  const Outcome outcome = Run({"runs", "ls", "gs://bkt/runs/"});
  EXPECT_THAT(Lines(outcome.out), ElementsAre(HasSubstr("loss"), MatchesRegex("a +- +- +3 +0.5"))) << outcome.err;
}

TEST_F(RunsCommandTest, TheLaterValueOfAStepCounts) {
  StoreRun("a", 0.5, "0.1");
  StoreRun("a", 0.75, "0.1");  // Resumed, and steps 1 to 3 done once more.
  ASSERT_TRUE(client_.DeleteObject({"bkt", "runs/a/run.json"}).ok());
  EXPECT_THAT(Run({"runs", "ls", "gs://bkt/runs/"}).out, MatchesRegex("[^\n]*\na +- +- +3 +0.75\n"));
}

TEST_F(RunsCommandTest, NamesADamagedFile) {
  Store("runs/a/events.out.tfevents.1", std::string(40, 'x'));
  const Outcome outcome = Run({"runs", "ls", "gs://bkt/runs/"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("gs://bkt/runs/a/events.out.tfevents.1: byte 0: the checksum"));
}

TEST_F(RunsCommandTest, SaysThatThereAreNone) {
  const Outcome outcome = Run({"runs", "compare", "gs://bkt/runs/"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("there are no runs under gs://bkt/runs/"));
}

TEST_F(RunsCommandTest, AFileThatCannotBeWrittenIsAnError) {
  StoreRun("a", 0.5, "0.1");
  for (const std::string flag : {"--csv=", "--html="}) {
    EXPECT_EQ(Run({"runs", "compare", flag + PathOf("none/file"), "gs://bkt/runs/"}).status, 1);
    EXPECT_THAT(Run({"runs", "compare", flag + "/dev/full", "gs://bkt/runs/"}).err, HasSubstr("No space left"));
  }
}

}  // namespace
}  // namespace gcsflux::cli
