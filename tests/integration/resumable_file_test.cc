// UploadFile against the emulator: what it stores, by which method, and what it sends a second time.
#include <gmock/gmock.h>

#include <filesystem>
#include <utility>

#include "gcsflux/upload.h"
#include "support/resumable_file_case.h"
#include "transfer/upload/source_parts.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux {
namespace {

using testing::kFilePart;

class ResumableFileTest : public testing::ResumableFileCase {
 protected:
  [[nodiscard]] std::string Fingerprint() const { return (*internal::FileSource(path_))->Fingerprint(); }

  // The file has other bytes, and the state claims the same file.
  void ReplaceUnseen(const std::string& other) {
    const std::string before = Fingerprint();
    ASSERT_TRUE(state_.starts_with(before));
    path_ = directory_.Write("file", other);
    state_.replace(0, before.size(), Fingerprint());
  }
};

TEST_F(ResumableFileTest, CommitsALargeFileByPartsAndOneCompose) {
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->path, WritePath::kParallel);
  EXPECT_EQ(stored->kept_bytes, 0U);
  EXPECT_EQ(stored->object.size, Content().size());
  ExpectStored(Content());
  EXPECT_EQ(state_, "");
}

TEST_F(ResumableFileTest, SendsASmallFileInOneRequest) {
  path_ = directory_.Write("small", "bytes");
  const std::size_t before = emulator_.journal().size();
  const auto stored = Upload();
  EXPECT_EQ(emulator_.journal().size(), before + 1);
  EXPECT_EQ(stored->path, WritePath::kOneRequest);
  ExpectStored("bytes");
}

TEST_F(ResumableFileTest, SavesItsStateBeforeTheFirstPart) {
  std::vector<std::size_t> parts_at_save;
  options_.save_state = [&](const std::string&) { parts_at_save.push_back(Requests("part")); };
  ASSERT_TRUE(UploadFile(client_, path_, testing::kObject, options_).ok());
  EXPECT_THAT(parts_at_save, ::testing::ElementsAre(0U, kParts));
}

TEST_F(ResumableFileTest, SendsOnlyMissingParts) {
  StopAfter(3);
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kCancelled);
  EXPECT_NE(state_, "");
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(testing::kObject)).code, ErrorCode::kNotFound);
  GoOn();
  const std::uint64_t before = emulator_.counters().bytes_in;
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 3 * kFilePart);
  EXPECT_LE(emulator_.counters().bytes_in - before, Content().size() - 3 * kFilePart + 10'000);
  ExpectStored(Content());
  EXPECT_EQ(state_, "");
}

TEST_F(ResumableFileTest, CountsBytesOfEarlierCallsAsProgress) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  std::vector<std::uint64_t> told;
  options_.on_progress = [&](const Progress& progress) {
    told.push_back(progress.bytes);
    EXPECT_EQ(progress.total, Content().size());
  };
  ASSERT_TRUE(Upload().ok());
  EXPECT_EQ(told.size(), kParts);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), Content().size());
}

TEST_F(ResumableFileTest, ResumesAfterAFailedService) {
  LoadFault({.phase = "part", .nth = 4}, {.type = "status", .status = 503});
  options_.call.retry = RetryOptions{.max_attempts = 1};
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kUnavailable);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 3 * kFilePart);
  ExpectStored(Content());
}

// The parts were joined, and the process ended before they were committed.
TEST_F(ResumableFileTest, CommitsPartsJoinedByAnEarlierCall) {
  LoadFault({.operation = "storage.objects.compose"}, {.type = "status", .status = 503});
  options_.call.retry = RetryOptions{.max_attempts = 1};
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kUnavailable);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  const std::uint64_t before = emulator_.counters().bytes_in;
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, Content().size());
  EXPECT_LE(emulator_.counters().bytes_in - before, 10'000U);
  ExpectStored(Content());
}

TEST_F(ResumableFileTest, StartsOverForAnotherFile) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  ExpectStartsAgainWith(std::string(Content().size() - 5, 'x'));
}

TEST_F(ResumableFileTest, StartsOverIfOnlyTheStatusChangeTimeDiffers) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  const auto written = std::filesystem::last_write_time(path_);
  const std::string before = Fingerprint();
  const std::string other(Content().size(), 'x');
  do {  // The clock of the file system may have long ticks.
    path_ = directory_.Write("file", other);
    std::filesystem::last_write_time(path_, written);
  } while (Fingerprint() == before);
  ASSERT_TRUE(Upload().ok());
  ExpectStored(other);
  EXPECT_EQ(Requests("part"), 3 + kParts) << "the old parts are not compared first";
}

// The checksum of the whole detects it.
TEST_F(ResumableFileTest, NeverMixesTwoFiles) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  const std::string other(Content().size(), 'x');
  ReplaceUnseen(other);
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  ExpectStored(other);
  EXPECT_EQ(Requests("part"), 3 + (kParts - 3) + kParts);
}

TEST_F(ResumableFileTest, NeverCommitsTheJoinedBytesOfAnotherFile) {
  LoadFault({.operation = "storage.objects.compose"}, {.type = "status", .status = 503});
  options_.call.retry = RetryOptions{.max_attempts = 1};
  EXPECT_FALSE(Upload().ok());
  const std::string other(Content().size(), 'x');
  ReplaceUnseen(other);
  ASSERT_TRUE(Upload().ok());
  ExpectStored(other);
}

TEST_F(ResumableFileTest, StartsOverIfTheUploadWasAborted) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  AbortUploads();
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  ExpectStored(Content());
}

TEST_F(ResumableFileTest, StartsOverIfTheUploadIsAbortedMeanwhile) {
  bool is_aborted = false;
  options_.on_progress = [&](const Progress&) {
    if (!std::exchange(is_aborted, true)) AbortUploads();
  };
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_TRUE(is_aborted);
  ExpectStored(Content());
}

TEST_F(ResumableFileTest, StartsOverWithAnotherKey) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  const auto key = EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789abcdef"));
  options_.encryption_key = *key;
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  EXPECT_TRUE(*client_.ReadObject(testing::kObject, {.encryption_key = *key}) == Content());
  testing::ExpectNothingLeft(client_);
}

TEST_F(ResumableFileTest, ResumesWithItsKey) {
  const auto key = EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789abcdef"));
  options_.encryption_key = *key;
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 3 * kFilePart);
  EXPECT_TRUE(*client_.ReadObject(testing::kObject, {.encryption_key = *key}) == Content());
}

TEST_F(ResumableFileTest, ResumesASessionOfAnEarlierCall) {
  options_.path = WritePath::kOneStream;
  options_.chunk_bytes = kFilePart;
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  options_.path = WritePath::kAuto;
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->path, WritePath::kOneStream);
  EXPECT_GE(stored->kept_bytes, 2 * kFilePart);  // The third chunk was sent, and its answer had not arrived.
  ExpectStored(Content());
}

TEST_F(ResumableFileTest, NeverMixesTwoFilesInASession) {
  options_.path = WritePath::kOneStream;
  options_.chunk_bytes = kFilePart;
  for (const std::uint64_t changed : {std::uint64_t{0}, 2 * kFilePart - 1}) {  // The bytes of it that the session has.
    path_ = directory_.Write("file", Content());
    StopAfter(3);
    EXPECT_FALSE(Upload().ok());
    GoOn();
    std::string other = Content();
    other[changed] ^= 1;
    ReplaceUnseen(other);
    const auto stored = Upload();
    ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_EQ(stored->kept_bytes, 0U);
    EXPECT_TRUE(*client_.ReadObject(testing::kObject) == other);
    EXPECT_EQ(Requests("cancel"), changed == 0 ? 1U : 2U);
  }
}

// The last piece of an earlier call was stored, its answer was lost, and its session is gone.
TEST_F(ResumableFileTest, WritesAgainAfterAnUncertainEarlierCall) {
  options_.path = WritePath::kOneStream;
  options_.chunk_bytes = kFilePart;
  options_.call.retry = RetryOptions{.max_attempts = 1};
  LoadFault({.phase = "final"}, {.type = "loseAnswer"});
  EXPECT_EQ(testing::ErrorOf(Upload()).outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_NE(state_, "");
  options_.call.retry = {};
  LoadFault({.phase = "status"}, {.type = "status", .status = 404});
  const auto stored = Upload();
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", testing::kObject.name).size(), 2U);
  EXPECT_TRUE(*client_.ReadObject(testing::kObject) == Content());
  EXPECT_EQ(state_, "");
}

// A call continues an upload. The object is made, the answer is lost, and the read-back is refused.
TEST_F(ResumableFileTest, DoesNotStartOverAfterAnUnknownOutcome) {
  options_.chunk_bytes = kFilePart;
  for (const auto& [path, phase] : {std::pair(WritePath::kAuto, "storage.objects.compose"),
                                    std::pair(WritePath::kOneStream, "storage.objects.insert")}) {
    emulator_.Reset();
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    state_ = {};
    options_.path = path;
    StopAfter(3);
    EXPECT_FALSE(Upload().ok());
    GoOn();
    const bool is_session = path == WritePath::kOneStream;
    emulator::FaultMatch commit{.operation = phase};
    if (is_session) commit.phase = "final";
    emulator_.faults().Load(
        {.rules = {{.name = "lost", .match = commit, .action = {.type = "loseAnswer"}, .limits = {.count = 1}},
                   {.name = "look",
                    .match = is_session ? emulator::FaultMatch{.phase = "status", .nth = 2}
                                        : emulator::FaultMatch{.operation = "storage.objects.get",
                                                               .object_prefix = testing::kObject.name},
                    .action = {.type = "status", .status = 400},
                    .limits = {.count = 1}}}});
    const Error error = testing::ErrorOf(Upload());
    EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
    EXPECT_EQ(emulator_.faults().Fired("look"), 1U);
    EXPECT_EQ(error.outcome, WriteOutcome::kUnknown) << error.message;
    EXPECT_EQ(emulator::FindCommits(emulator_.journal(), "bkt", testing::kObject.name).size(), 1U);
    EXPECT_NE(state_, "");
  }
}

TEST_F(ResumableFileTest, DropsItsPartsIfOneStreamIsRequested) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  options_.path = WritePath::kOneStream;
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->path, WritePath::kOneStream);
  ExpectStored(Content());
}

TEST_F(ResumableFileTest, IgnoresDamagedStates) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  const std::string state = state_;
  for (const std::string& damaged : {std::string("x"), std::string("\n\n"), state.substr(0, state.size() - 1),
                                     std::string(state).replace(state.find("gcsflux-uploads"), 1, "h")}) {
    state_ = damaged;
    const auto stored = Upload();
    ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_EQ(stored->kept_bytes, 0U);
    EXPECT_EQ(client_.GetObject(testing::kObject)->size, Content().size());
  }
}

TEST(SourcePartBytes, DivideAFileAmongAllConnections) {
  constexpr std::uint64_t kMiB = 1U << 20;
  const UploadOptions writing{.part_bytes = 16 * kMiB, .max_concurrency = 16};
  EXPECT_EQ(internal::SourcePartBytes(33 * kMiB, writing), 5 * kMiB);
  EXPECT_EQ(internal::SourcePartBytes(160 * kMiB, writing), 10 * kMiB);
  EXPECT_EQ(internal::SourcePartBytes(256 * kMiB, writing), 16 * kMiB);
  EXPECT_EQ(internal::SourcePartBytes(320 * kMiB, writing), 10 * kMiB);  // Two rounds.
  for (const std::uint64_t size : {257 * kMiB, 10'000 * kMiB + 1, 1'000'000 * kMiB, 5'000'000 * kMiB}) {
    const std::uint64_t bytes = internal::SourcePartBytes(size, writing);
    EXPECT_LE((size + bytes - 1) / bytes, 10'000U) << size;
    EXPECT_TRUE(bytes <= 16 * kMiB || size > 160'000 * kMiB) << size;
  }
}

}  // namespace
}  // namespace gcsflux
