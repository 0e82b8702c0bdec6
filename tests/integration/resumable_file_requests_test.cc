// UploadFile with a state of another request: another object, condition, attribute or key. Nothing of the earlier
// upload is used or left.
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/resumable_file_case.h"

namespace gcsflux {
namespace {

using testing::kFilePart;
using testing::kObject;

class ResumableFileRequestsTest : public testing::ResumableFileCase {
 protected:
  void UseOneStream() {
    options_.path = WritePath::kOneStream;
    options_.chunk_bytes = kFilePart;
  }
  void Interrupt() {
    StopAfter(3);
    EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kCancelled);
    EXPECT_NE(state_, "");
    GoOn();
  }
};

TEST_F(ResumableFileRequestsTest, NeverReplacesARivalsObjectUnderCreate) {
  UseOneStream();
  Interrupt();
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("rival")).ok());
  options_.mode = WriteMode::kCreate;
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(*client_.ReadObject(kObject) == "rival");
  EXPECT_EQ(Requests("cancel"), 2U);  // Both sessions.
}

TEST_F(ResumableFileRequestsTest, NeverReplacesAnotherGeneration) {
  const auto first = client_.InsertObject(kObject, AsBytes("first"));
  UseOneStream();
  options_.mode = WriteMode::kReplace;
  options_.generation = first->generation;
  Interrupt();
  options_.generation = first->generation - 1;
  EXPECT_EQ(testing::ErrorOf(Upload()).code, ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(*client_.ReadObject(kObject) == "first");
}

TEST_F(ResumableFileRequestsTest, WritesTheObjectOfThisCall) {
  const ObjectName other{"bkt", "other"};
  for (const WritePath path : {WritePath::kOneStream, WritePath::kAuto}) {
    if (path == WritePath::kOneStream) UseOneStream();
    Interrupt();
    options_.state = state_;
    const auto stored = UploadFile(client_, path_, other, options_);
    ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_EQ(stored->kept_bytes, 0U);
    ASSERT_EQ(stored->object.name, other.name);
    EXPECT_TRUE(*client_.ReadObject(other) == Content());
    EXPECT_EQ(testing::ErrorOf(client_.GetObject(kObject)).code, ErrorCode::kNotFound);
    testing::ExpectNothingLeft(client_);
    options_.path = WritePath::kAuto;
  }
  EXPECT_EQ(Requests("cancel"), 1U);
}

TEST_F(ResumableFileRequestsTest, StoresTheAttributesOfThisCall) {
  const auto key = *EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789abcdef"));
  const std::vector<std::function<void(UploadOptions&)>> changes = {
      [](UploadOptions& upload) { upload.attributes.content_type = "text/plain"; },
      [](UploadOptions& upload) {
        upload.attributes.metadata = {{"step", "2"}};
      },
      [](UploadOptions& upload) { upload.mode = WriteMode::kCreate; },
      [&](UploadOptions& upload) { upload.encryption_key = key; }};
  const UploadOptions options = options_;
  for (std::size_t i = 0; i < 2 * changes.size(); ++i) {
    SCOPED_TRACE(i);
    emulator_.Reset();
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    options_ = options;
    const bool is_session = i % 2 == 0;
    if (is_session) UseOneStream();
    Interrupt();
    changes[i / 2](options_);
    const auto stored = Upload();
    ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_EQ(stored->kept_bytes, 0U);
    EXPECT_EQ(stored->object.content_type, options_.attributes.content_type);
    EXPECT_EQ(stored->object.metadata, options_.attributes.metadata);
    EXPECT_EQ(Requests("cancel"), is_session ? 1U : 0U);
    testing::ExpectNothingLeft(client_);
  }
}

TEST_F(ResumableFileRequestsTest, CancelsTheSessionOfAChangedFile) {
  UseOneStream();
  Interrupt();
  ExpectStartsAgainWith(std::string(Content().size() - 5, 'x'));
  EXPECT_EQ(Requests("cancel"), 1U);
}

// Its bytes would go to a URI that only the state names.
TEST_F(ResumableFileRequestsTest, KeepsASessionOfAnotherService) {
  UseOneStream();
  Interrupt();
  emulator::Emulator other;
  const Client client = *Client::Create({.endpoint = other.endpoint(), .project = "p"});
  ASSERT_TRUE(client.InsertBucket("bkt"));
  options_.state = state_;
  const auto stored = UploadFile(client, path_, kObject, options_);
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  EXPECT_EQ(Requests("cancel"), 0U);
}

// Earlier versions saved only size and time of the file.
TEST_F(ResumableFileRequestsTest, StartsOverWithAStateOfAnEarlierVersion) {
  UseOneStream();
  Interrupt();
  const std::size_t line = state_.find('\n');
  const std::size_t request = state_.rfind(' ', line);
  state_.erase(request, line - request);
  const auto stored = Upload();
  ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
  EXPECT_EQ(stored->kept_bytes, 0U);
  ExpectStored(Content());
  EXPECT_EQ(Requests("cancel"), 1U);
}

}  // namespace
}  // namespace gcsflux
