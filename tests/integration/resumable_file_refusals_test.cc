// UploadFile with obstacles: rivals, buckets that keep temporary objects, files that change, callers that save no
// state. Nothing is left behind.
#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

#include "emulator/support/raw_connection.h"
#include "support/fails_with.h"
#include "support/resumable_file_case.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using testing::kFilePart;
using testing::kObject;

class ResumableFileRefusalsTest : public testing::ResumableFileCase {
 protected:
  void Patch(const std::string& json) {
    emulator::RawConnection connection(emulator_.endpoint());
    ASSERT_EQ(connection.Call("PATCH", "/storage/v1/b/bkt", "", json).status, 200);
  }
};

TEST_F(ResumableFileRefusalsTest, ChecksThePreconditionBeforeParts) {
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  UploadOptions& upload = options_;
  upload.mode = WriteMode::kCreate;
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kPreconditionFailed);
  upload.mode = WriteMode::kReplace;
  upload.generation = 5;
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(Requests("initiate"), 0U);
  upload.generation = client_.GetObject(kObject)->generation;
  EXPECT_TRUE(Upload().ok());
  EXPECT_TRUE(*client_.ReadObject(kObject) == Content());
}

TEST_F(ResumableFileRefusalsTest, KeepsARivalsObject) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kReplace}) {
    options_.mode = mode;
    if (mode == WriteMode::kReplace) options_.generation = client_.GetObject(kObject)->generation;
    bool has_written = false;
    options_.on_progress = [&](const Progress&) {
      if (std::exchange(has_written, true)) return;
      EXPECT_TRUE(client_.InsertObject(kObject, AsBytes("rival")).ok());
    };
    EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kPreconditionFailed);
    EXPECT_TRUE(*client_.ReadObject(kObject) == "rival");
    testing::ExpectNothingLeft(client_);
    EXPECT_EQ(state_, "");
  }
}

TEST_F(ResumableFileRefusalsTest, ResumesOneStreamInBucketsWithRetention) {
  const std::string retention = R"({"retentionPolicy": {"retentionPeriod": "3600"}})";
  for (const std::string& settings : {retention, std::string(R"({"defaultEventBasedHold": true})")}) {
    emulator_.Reset();
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    Patch(settings);
    options_.chunk_bytes = kFilePart;
    StopAfter(2);
    EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kCancelled);
    GoOn();
    const auto stored = Upload();
    ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_EQ(stored->path, WritePath::kOneStream);
    EXPECT_GE(stored->kept_bytes, kFilePart);  // The answer to the second chunk had not arrived.
    ExpectStored(Content());
  }
}

TEST_F(ResumableFileRefusalsTest, ChoosesTheWritePathOncePerBucket) {
  EXPECT_EQ(ChooseWritePath(client_, "bkt"), WritePath::kParallel);
  Patch(R"({"retentionPolicy": {"retentionPeriod": "3600"}})");
  EXPECT_EQ(ChooseWritePath(client_, "bkt"), WritePath::kOneStream);
}

TEST_F(ResumableFileRefusalsTest, DoesNotStoreAChangingFile) {
  bool has_changed = false;
  options_.on_progress = [&](const Progress&) {
    if (!std::exchange(has_changed, true)) std::ofstream(path_, std::ios::app) << "more";
  };
  EXPECT_TRUE(testing::FailsWith(Upload(), ErrorCode::kLocalIo, HasSubstr("changed while it was being uploaded")));
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
  testing::ExpectNothingLeft(client_);
  EXPECT_EQ(state_, "");
}

// The sent bytes are no longer those of the file.
TEST_F(ResumableFileRefusalsTest, DoesNotStoreAFileThatChangesDuringASession) {
  options_.path = WritePath::kOneStream;
  options_.chunk_bytes = kFilePart;
  bool has_changed = false;
  options_.on_progress = [&](const Progress& progress) {
    if (progress.bytes >= 2 * kFilePart && !std::exchange(has_changed, true)) {
      std::fstream(path_, std::ios::in | std::ios::out).put('?');
    }
  };
  const Error error = testing::ErrorOf(Upload());
  EXPECT_TRUE(has_changed);
  EXPECT_EQ(error.code, ErrorCode::kLocalIo);
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
  EXPECT_EQ(state_, "");
}

TEST_F(ResumableFileRefusalsTest, KeepsNothingWithoutASaver) {
  options_.save_state = {};
  StopAfter(3);
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kCancelled);
  testing::ExpectNothingLeft(client_);
  GoOn();
  EXPECT_TRUE(Upload().ok());
  ExpectStored(Content());
}

TEST_F(ResumableFileRefusalsTest, FailsIfTheSaverThrows) {
  options_.save_state = [](const std::string&) { throw std::runtime_error("no room"); };
  EXPECT_TRUE(testing::FailsWith(Upload(), ErrorCode::kLocalIo, HasSubstr("no room")));
  testing::ExpectNothingLeft(client_);
}

TEST_F(ResumableFileRefusalsTest, RefusesInvalidOptions) {
  options_.part_bytes = kFilePart - 1;
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kInvalidArgument);
  options_.part_bytes = kFilePart;
  options_.is_private_name = true;
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kInvalidArgument);
  path_ = directory_.path();
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kLocalIo);
  EXPECT_EQ(emulator_.journal().size(), 1U);
}

// A role without storage.multipartUploads.listParts.
TEST_F(ResumableFileRefusalsTest, ResendsPartsWithoutListPermission) {
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  LoadFault({.operation = "storage.multipartUploads.listParts"}, {.type = "status", .status = 403});
  const auto stored = Upload();
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  ExpectStored(Content());
}

// An earlier call has joined its parts; this one may not read the object.
TEST_F(ResumableFileRefusalsTest, DeletesAJoinedObjectThatItMayNotRead) {
  LoadFault({.operation = "storage.objects.compose"}, {.type = "status", .status = 503});
  options_.call.retry = RetryOptions{.max_attempts = 1};
  EXPECT_FALSE(Upload().ok());
  LoadFault({.operation = "storage.objects.get"}, {.type = "status", .status = 403});
  const auto stored = Upload();
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  ExpectStored(Content());
}

// The parts were joined, and the answer was lost.
TEST_F(ResumableFileRefusalsTest, DeletesAnUncertainJoinWithoutASaver) {
  options_.save_state = {};
  options_.call.retry = RetryOptions{.max_attempts = 1};
  LoadFault({.phase = "complete"}, {.type = "loseAnswer"});
  EXPECT_FALSE(Upload().ok());
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  testing::ExpectNothingLeft(client_);
}

TEST_F(ResumableFileRefusalsTest, KeepsAnUncertainJoinWithASaver) {
  options_.call.retry = RetryOptions{.max_attempts = 1};
  LoadFault({.phase = "complete"}, {.type = "loseAnswer"});
  EXPECT_FALSE(Upload().ok());
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, Content().size());
  ExpectStored(Content());
}

TEST_F(ResumableFileRefusalsTest, FindsARivalBeforeItSendsMoreParts) {
  options_.mode = WriteMode::kCreate;
  StopAfter(3);
  EXPECT_FALSE(Upload().ok());
  GoOn();
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("rival")).ok());
  const std::size_t before = Requests("part");
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(Requests("part"), before);
  EXPECT_TRUE(*client_.ReadObject(kObject) == "rival");
  testing::ExpectNothingLeft(client_);
  EXPECT_EQ(state_, "");
}

// The service, or the comparison with the joined object, detects damaged parts.
TEST_F(ResumableFileRefusalsTest, NeverStoresDamagedBytes) {
  for (const std::uint64_t byte : {std::uint64_t{0}, kFilePart + 1, Content().size() - 1}) {
    LoadFault({.phase = "part", .covers_byte = byte}, {.type = "corruptUpload", .at_byte = byte});
    const auto stored = Upload();
    if (!stored) {
      EXPECT_EQ(testing::ErrorOf(stored).code, ErrorCode::kCorrupted);
    }
    const auto read = client_.ReadObject(kObject);
    EXPECT_TRUE(!read || *read == Content());
    testing::ExpectNothingLeft(client_);
  }
}

}  // namespace
}  // namespace gcsflux
