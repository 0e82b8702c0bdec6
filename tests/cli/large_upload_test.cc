// cp and sync of files that are sent as parts over many connections, and how they resume after an interruption.
#include <gmock/gmock.h>

#include <csignal>
#include <random>

#include "cli/command_fixture.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/upload_case.h"
#include "support/upload_leftovers.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::cli {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing::Pattern;

constexpr std::uint64_t kPart = 5U << 20;
const std::string kPartFlag = "--part_bytes=5242880";

class LargeUploadTest : public CommandTest {
 protected:
  static const std::string& Content() {
    static const std::string content = Pattern(7 * kPart + 3);
    return content;
  }

  void SetUp() override {
    CommandTest::SetUp();
    WriteFile("file", Content());
  }

  // Parts that have stalled before still do.
  void StallPart(std::uint64_t part) {
    emulator_.clock().Freeze();
    Load({.phase = "part", .nth = part}, {.type = "stallUpload", .after_bytes = 1'000, .duration = seconds(3'600)});
    ++stalled_;
  }
  Outcome InterruptAtPart(std::uint64_t part, const std::vector<std::string>& arguments, int signal) {
    StallPart(part);
    return Interrupt(arguments, signal, stalled_);
  }

  [[nodiscard]] std::size_t Uploads() { return ListMultipartUploads(client_, {"bkt", ""})->size(); }
  [[nodiscard]] std::uint64_t BytesIn() const { return emulator_.counters().bytes_in; }

  void KeepObjectsForAnHour() {
    emulator::RawConnection connection(emulator_.endpoint());
    const std::string policy = R"({"retentionPolicy": {"retentionPeriod": "3600"}})";
    ASSERT_EQ(connection.Call("PATCH", "/storage/v1/b/bkt", "", policy).status, 200);
  }

  const std::vector<std::string> command_ = {"cp", "file", "gs://bkt/o", "--max_concurrency=1", kPartFlag};
  const std::vector<std::string> careful_ = {"cp",      "file",        "gs://bkt/o", "--max_concurrency=1",
                                             kPartFlag, "--no_clobber"};
  std::size_t stalled_ = 0;
};

TEST_F(LargeUploadTest, UsesManyConnections) {
  const Outcome done = RunHeld({"cp", "file", "gs://bkt/o"}, {.phase = "part"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(Stored("o") == Content());
  EXPECT_EQ(Uploads(), 0U);
  EXPECT_TRUE(Files(".state").empty());
}

TEST_F(LargeUploadTest, ResumesAfterASignal) {
  const Outcome interrupted = InterruptAtPart(4, command_, SIGINT);
  EXPECT_EQ(interrupted.status, 130);
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted; to continue, run the same command again"));
  EXPECT_TRUE(Objects().empty());
  const std::uint64_t before = BytesIn();
  const Outcome again = Run(command_);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("kept 15.7 MB of an interrupted run"));
  EXPECT_TRUE(Stored("o") == Content());
  EXPECT_LE(BytesIn() - before, Content().size() - 3 * kPart + 10'000);
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", "o").size(), 1U);
  EXPECT_EQ(Uploads(), 0U);
  EXPECT_TRUE(Files(".state").empty());
}

// Repeated kills: each run gets one part further.
TEST_F(LargeUploadTest, SurvivesRepeatedKills) {
  const std::uint64_t before = BytesIn();
  constexpr std::uint64_t kKills = 6;
  for (std::uint64_t i = 0; i < kKills; ++i) EXPECT_EQ(InterruptAtPart(2, command_, SIGKILL).status, -SIGKILL);
  const Outcome again = Run(command_);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("kept 31.5 MB of an interrupted run"));
  EXPECT_TRUE(Stored("o") == Content());
  EXPECT_LE(BytesIn() - before, Content().size() + kKills * 200'000);  // A stalled part has sent little.
  EXPECT_EQ(Uploads(), 0U);
}

TEST_F(LargeUploadTest, ResumesForATreeAndReportsSuspendedUploads) {
  WriteFile("data/large", Content());
  WriteFile("data/small", "small");
  const std::vector<std::string> command = {"cp", "-r", "data", "gs://bkt/x", "--max_concurrency=1", kPartFlag};
  EXPECT_EQ(InterruptAtPart(4, command, SIGTERM).status, 143);
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("kept 15.7 MB"));
  EXPECT_TRUE(Stored("x/large") == Content());
  EXPECT_EQ(Stored("x/small"), "small");
}

TEST_F(LargeUploadTest, StartsOverForAChangedFile) {
  EXPECT_EQ(InterruptAtPart(4, command_, SIGINT).status, 130);
  const std::string other(Content().size(), 'x');
  WriteFile("file", other);
  EXPECT_EQ(Run(command_).status, 0);
  EXPECT_TRUE(Stored("o") == other);
  EXPECT_EQ(Uploads(), 0U);
}

TEST_F(LargeUploadTest, StartsOverAfterClean) {
  EXPECT_EQ(InterruptAtPart(4, command_, SIGINT).status, 130);
  EXPECT_EQ(Uploads(), 1U);
  const Outcome cleaned = Run({"clean", "gs://bkt", "--older_than=0s"});
  EXPECT_EQ(cleaned.status, 0) << cleaned.err;
  EXPECT_EQ(Uploads(), 0U);
  const Outcome again = Run(command_);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(Stored("o") == Content());
}

TEST_F(LargeUploadTest, UsesOneStreamIfAsked) {
  const Outcome done = Run({"cp", "file", "gs://bkt/o", "--write_path=one_stream"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(Stored("o") == Content());
  EXPECT_EQ(Requests("storage.multipartUploads.create"), 0U);
}

TEST_F(LargeUploadTest, SkipsBeforeItSendsUnderNoClobber) {
  Store("o", "old");
  const std::uint64_t before = BytesIn();
  const Outcome skipped = Run({"cp", "--no_clobber", "file", "gs://bkt/o"});
  EXPECT_EQ(skipped.status, 0) << skipped.err;
  EXPECT_THAT(skipped.err, HasSubstr("skipped 1 that are there"));
  EXPECT_LE(BytesIn() - before, 10'000U);
  EXPECT_EQ(Stored("o"), "old");
}

TEST_F(LargeUploadTest, KeepsARivalsEarlierObjectUnderNoClobber) {
  EXPECT_EQ(InterruptAtPart(4, careful_, SIGINT).status, 130);
  EXPECT_EQ(Uploads(), 1U);
  Store("o", "of a rival");
  const std::uint64_t before = BytesIn();
  const Outcome skipped = Run(careful_);
  EXPECT_EQ(skipped.status, 0) << skipped.err;
  EXPECT_THAT(skipped.err, HasSubstr("skipped 1 that are there"));
  EXPECT_LE(BytesIn() - before, 10'000U);
  EXPECT_TRUE(Stored("o") == "of a rival");
  EXPECT_TRUE(Files(".state").empty());
  testing::ExpectNothingLeft(client_);
  const Outcome again = Run(command_);  // which may overwrite it
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(Stored("o") == Content());
}

TEST_F(LargeUploadTest, KeepsARivalsConcurrentObjectUnderNoClobber) {
  EXPECT_EQ(InterruptAtPart(2, careful_, SIGKILL).status, -SIGKILL);
  StallPart(2);
  testing::ChildProgram program = Start(careful_);
  emulator_.clock().AwaitWaiters(stalled_);
  Store("o", "of a rival");
  emulator_.clock().Advance(std::chrono::hours(2));
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_THAT(program.ReadErrors(), HasSubstr("skipped 1 that are there"));
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  EXPECT_TRUE(Stored("o") == "of a rival");
  EXPECT_TRUE(Files(".state").empty());
  testing::ExpectNothingLeft(client_);
}

TEST_F(LargeUploadTest, FailsIfTheFileChangesMeanwhile) {
  StallPart(4);
  testing::ChildProgram program = Start(command_);
  emulator_.clock().AwaitWaiters(stalled_);
  WriteFile("file", Content() + "more");
  emulator_.clock().Advance(std::chrono::hours(2));
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_THAT(program.ReadErrors(), HasSubstr("changed while it was being uploaded"));
  EXPECT_TRUE(Objects().empty());
  EXPECT_EQ(Uploads(), 0U);
}

// Each file has one connection, so that several are sent in parallel.
TEST_F(LargeUploadTest, ChecksTheBucketOnceForManyFiles) {
  for (const char* name : {"data/a", "data/b"}) WriteFile(name, Content());
  KeepObjectsForAnHour();
  const Outcome done =
      RunHeld({"cp", "-r", "data", "gs://bkt/x", "--max_concurrency=2"}, {.operation = "storage.objects.insert"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(Stored("x/a") == Content());
  EXPECT_TRUE(Stored("x/b") == Content());
  EXPECT_EQ(Requests("storage.buckets.testIamPermissions"), 1U);
}

}  // namespace
}  // namespace gcsflux::cli
