// Commands that are interrupted and run again.
#include <gmock/gmock.h>

#include <csignal>
#include <regex>

#include "cli/command_fixture.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/upload_case.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Pattern;

constexpr std::uint64_t kStripe = 16U << 20;  // Of a download.
constexpr std::uint64_t kChunk = 1U << 20;    // Of an upload.
const std::string kChunkFlag = "--upload_chunk_bytes=1048576";

class InterruptionTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    emulator_.clock().Freeze();  // Stalls last until they are released.
  }

  void StallRead(std::uint64_t at, const std::string& object = "o") {
    Load({.operation = "storage.objects.get", .object_prefix = object, .covers_byte = at},
         {.type = "stall", .after_bytes = 1'000, .duration = seconds(3'600)});
  }
  void StallUpload(std::uint64_t at) {
    Load({.operation = "storage.objects.insert"},
         {.type = "stallUpload", .after_bytes = at, .duration = seconds(3'600)});
  }

  [[nodiscard]] std::uint64_t BytesIn() const { return emulator_.counters().bytes_in; }
  [[nodiscard]] std::uint64_t BytesOut() const { return emulator_.counters().bytes_out; }
};

TEST_F(InterruptionTest, DownloadResumes) {
  const std::string bytes = Pattern(3 * kStripe);
  Store("o", bytes);
  StallRead(kStripe + 5);
  const std::vector<std::string> command = {"cp", "gs://bkt/o", "file", "--max_concurrency=1"};
  const Outcome interrupted = Interrupt(command, SIGINT);
  EXPECT_EQ(interrupted.status, 130);
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted; to continue, run the same command again"));
  EXPECT_FALSE(fs::exists(PathOf("file")));
  EXPECT_TRUE(fs::exists(PathOf(".file.gcsflux-partial")));

  const std::uint64_t before = BytesOut();
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("kept 16.8 MB of an interrupted run"));
  EXPECT_TRUE(ReadFile("file") == bytes);
  EXPECT_FALSE(fs::exists(PathOf(".file.gcsflux-partial")));
  EXPECT_LE(BytesOut() - before, 2 * kStripe + 10'000);
}

TEST_F(InterruptionTest, DownloadOfATreeResumesAndReportsPartialFiles) {
  const std::string bytes = Pattern(3 * kStripe);
  for (const char* name : {"x/a", "x/b"}) Store(name, "small");
  Store("x/o", bytes);
  StallRead(kStripe + 5, "x/o");
  const std::vector<std::string> command = {"cp", "-r", "gs://bkt/x", "there", "--max_concurrency=1"};
  const Outcome interrupted = Interrupt(command, SIGTERM);
  EXPECT_EQ(interrupted.status, 143);
  EXPECT_THAT(Files("there"), ::testing::ElementsAre(".o.gcsflux-partial", "a", "b"));
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, AllOf(HasSubstr("copied 1 object"), HasSubstr("kept 16.8 MB"), HasSubstr("skipped 2")));
  EXPECT_TRUE(ReadFile("there/o") == bytes);
}

// Repeated kills at any place.
TEST_F(InterruptionTest, DownloadSurvivesRepeatedKills) {
  const std::string bytes = Pattern(3 * kStripe + 77);
  Store("o", bytes);
  const std::vector<std::string> command = {"cp", "gs://bkt/o", "file", "--max_concurrency=1"};
  std::size_t stalled = 0;
  for (const std::uint64_t at : {std::uint64_t{0}, kStripe / 2 + 1, 2 * kStripe, 3 * kStripe - 1, 3 * kStripe + 76}) {
    Load({.operation = "storage.objects.get", .covers_byte = at},
         {.type = "stall", .after_bytes = 40, .duration = seconds(3'600)});
    EXPECT_EQ(Interrupt(command, SIGKILL, ++stalled).status, -SIGKILL) << at;
    EXPECT_FALSE(fs::exists(PathOf("file")));
  }
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(ReadFile("file") == bytes);
}

TEST_F(InterruptionTest, UploadResumes) {
  const std::string bytes = Pattern(6 * kChunk + 5);
  WriteFile("data/file", bytes);
  StallUpload(3 * kChunk + 5);
  const std::vector<std::string> command = {"cp", "-r", "data", "gs://bkt/x", kChunkFlag};
  const Outcome interrupted = Interrupt(command, SIGINT);
  EXPECT_EQ(interrupted.status, 130);
  EXPECT_TRUE(Objects().empty());

  const std::uint64_t before = BytesIn();
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("kept 3.15 MB"));
  EXPECT_TRUE(Stored("x/file") == bytes);
  EXPECT_LE(BytesIn() - before, 3 * kChunk + 10'000);
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", "x/file").size(), 1U);
  EXPECT_TRUE(Files(".state").empty());
}

TEST_F(InterruptionTest, KilledUploadResumes) {
  const std::string bytes = Pattern(6 * kChunk + 5);
  WriteFile("file", bytes);
  StallUpload(3 * kChunk + 5);
  const std::vector<std::string> command = {"cp", "file", "gs://bkt/o", kChunkFlag};
  EXPECT_EQ(Interrupt(command, SIGKILL).status, -SIGKILL);
  const std::uint64_t before = BytesIn();
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(Stored("o") == bytes);
  EXPECT_LE(BytesIn() - before, 3 * kChunk + 10'000);
}

TEST_F(InterruptionTest, UploadOfAChangedFileStartsOver) {
  WriteFile("file", Pattern(6 * kChunk + 5));
  StallUpload(3 * kChunk + 5);
  const std::vector<std::string> command = {"cp", "file", "gs://bkt/o", kChunkFlag};
  EXPECT_EQ(Interrupt(command, SIGINT).status, 130);
  const std::string other(4 * kChunk, 'x');
  WriteFile("file", other);
  EXPECT_EQ(Run(command).status, 0);
  EXPECT_TRUE(Stored("o") == other);
}

TEST_F(InterruptionTest, UploadWithoutItsSessionStartsOver) {
  const std::string bytes = Pattern(6 * kChunk + 5);
  WriteFile("file", bytes);
  StallUpload(3 * kChunk + 5);
  const std::vector<std::string> command = {"cp", "file", "gs://bkt/o", kChunkFlag};
  EXPECT_EQ(Interrupt(command, SIGINT).status, 130);
  emulator_.clock().Advance(std::chrono::hours(24 * 8));
  const Outcome again = Run(command);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(Stored("o") == bytes);
}

TEST_F(InterruptionTest, UploadFailsIfTheFileChangesMeanwhile) {
  WriteFile("data/file", Pattern(6 * kChunk + 5));
  StallUpload(3 * kChunk + 5);
  testing::ChildProgram program = Start({"cp", "-r", "data", "gs://bkt/x", kChunkFlag});
  emulator_.clock().AwaitWaiters(1);
  WriteFile("data/file", Pattern(6 * kChunk + 6));
  emulator_.clock().Advance(std::chrono::hours(2));
  EXPECT_EQ(program.Wait(), 1);
  EXPECT_THAT(program.ReadErrors(), HasSubstr("changed while it was being uploaded"));
  EXPECT_TRUE(Objects().empty());
}

}  // namespace
}  // namespace gcsflux::cli
