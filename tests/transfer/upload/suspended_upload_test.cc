// Uploads that one client starts and another one finishes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using testing::kChunk;
using testing::kObject;
using testing::kReset;
using ::testing::Not;
using testing::Pattern;

class SuspendedUploadTest : public ::testing::Test {
 protected:
  // The state after this many bytes of bytes_ were written.
  std::string SuspendAfter(std::size_t count) {
    ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
    EXPECT_TRUE(writer.Write(AsBytes(std::string_view(bytes_).substr(0, count))).ok());
    auto state = writer.Suspend();
    EXPECT_TRUE(state.ok());
    return state ? *state : "";
  }

  Result<ObjectMetadata> Finish(const std::string& state, const std::string& bytes) {
    auto writer = ObjectWriter::Resume(other_client_, state);
    if (!writer) return writer.error();
    if (auto written = writer->Write(AsBytes(std::string_view(bytes).substr(writer->position()))); !written) {
      return written.error();
    }
    return writer->Close();
  }

  const std::string bytes_ = Pattern(5 * kChunk + 7);
  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_);
  Client other_client_ = testing::MakeClient(gcs_);
};

TEST_F(SuspendedUploadTest, IsFinishedByAnotherClient) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, kChunk, 2 * kChunk, 3 * kChunk + 9, bytes_.size()}) {
    gcs_.objects.clear();
    gcs_.commits = 0;
    const std::string state = SuspendAfter(count);
    EXPECT_TRUE(gcs_.objects.empty());
    const auto stored = Finish(state, bytes_);
    ASSERT_TRUE(stored.ok()) << count << ": " << stored.error().message;
    EXPECT_TRUE(gcs_.objects["o"].bytes == bytes_) << count;
    EXPECT_EQ(gcs_.commits, 1);
  }
}

TEST_F(SuspendedUploadTest, ReportsTheResumePosition) {
  const auto writer = ObjectWriter::Resume(other_client_, SuspendAfter(3 * kChunk + 9));
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(writer->position(), 3 * kChunk);  // Whole chunks are sent, the rest waits for more.
}

TEST_F(SuspendedUploadTest, SkipsBytesPersistedAfterTheState) {
  const std::string early = SuspendAfter(kChunk + 1);
  {  // Another process continued, and was killed before it wrote a new state.
    auto writer = ObjectWriter::Resume(other_client_, early);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer->Write(AsBytes(std::string_view(bytes_).substr(kChunk, 3 * kChunk))).ok());
    ASSERT_TRUE(writer->Suspend().ok());
  }
  gcs_.requests.clear();
  const auto stored = Finish(early, bytes_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes_);
  for (const auto& request : gcs_.requests) {
    for (const auto& [name, value] : request.headers) {
      EXPECT_TRUE(name != "Content-Range" || !value.starts_with("bytes 262144-")) << value;
    }
  }
}

TEST_F(SuspendedUploadTest, VerifiesTheChecksumOfAllBytes) {
  const std::string state = SuspendAfter(2 * kChunk + 1);
  std::string other = bytes_;
  other[4 * kChunk] ^= 1;
  other[3 * kChunk] ^= 1;
  gcs_.sessions.begin()->second.bytes[0] ^= 1;  // The bytes persisted before are not the sent ones.
  EXPECT_FALSE(Finish(state, bytes_).ok());
  EXPECT_TRUE(gcs_.objects.empty());
}

TEST_F(SuspendedUploadTest, IsOneStream) {
  ObjectWriter writer(client_, kObject);
  ASSERT_TRUE(writer.Write(AsBytes("bytes")).ok());
  EXPECT_EQ(testing::ErrorOf(writer.Suspend()).code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(writer.Close().ok()) << "the writer is as it was";
  EXPECT_EQ(gcs_.objects["o"].bytes, "bytes");
}

TEST_F(SuspendedUploadTest, CanBeSuspendedAfterAnOutage) {
  Client client = testing::MakeClient(gcs_, {.max_attempts = 1});
  ObjectWriter writer(client, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  gcs_.faults = {{}, {}, {.before = kReset}};
  EXPECT_FALSE(writer.Write(AsBytes(bytes_)).ok());
  const auto state = writer.Suspend();
  ASSERT_TRUE(state.ok()) << state.error().message;
  const auto stored = Finish(*state, bytes_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes_);
}

TEST_F(SuspendedUploadTest, IsNotSuspendedAfterAPermanentFailure) {
  ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  gcs_.faults = {{}, {.status = 403}};
  EXPECT_FALSE(writer.Write(AsBytes(bytes_)).ok());
  EXPECT_EQ(testing::ErrorOf(writer.Suspend()).code, ErrorCode::kPermissionDenied);
}

TEST_F(SuspendedUploadTest, EndsTheWriterButNotTheSession) {
  {
    ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
    ASSERT_TRUE(writer.Suspend().ok());
    EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes("x"))).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(testing::ErrorOf(writer.Close()).code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(testing::ErrorOf(writer.Suspend()).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(gcs_.sessions.size(), 1U);
}

TEST_F(SuspendedUploadTest, DetectsThatItIsFinished) {
  const std::string state = SuspendAfter(2 * kChunk + 1);
  ASSERT_TRUE(Finish(state, bytes_).ok());
  const auto again = Finish(state, bytes_);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(gcs_.commits, 1);
  std::string other = bytes_;
  other.back() ^= 1;
  EXPECT_EQ(testing::ErrorOf(Finish(state, other)).code, ErrorCode::kCorrupted);
  EXPECT_EQ(testing::ErrorOf(Finish(state, bytes_ + "more")).code, ErrorCode::kCorrupted);
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes_);  // It is another writer's object: it stays.
}

// Another process sends more meanwhile, so the session cannot end with the bytes that were written here.
TEST_F(SuspendedUploadTest, RefusesToFinishALongerSession) {
  const std::string state = SuspendAfter(2 * kChunk);
  auto writer = ObjectWriter::Resume(other_client_, state);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  gcs_.sessions.begin()->second.bytes += "more";
  EXPECT_TRUE(testing::FailsWith(writer->Close(), ErrorCode::kSessionLost, HasSubstr("more bytes than were written")));
  EXPECT_TRUE(gcs_.objects.empty());
}

// The attributes were given to the client that began the session. The answer to the last piece is lost, and then the
// session is gone.
TEST_F(SuspendedUploadTest, FindsItsObjectWithoutItsAttributes) {
  ObjectWriter begun(
      client_, kObject,
      {.attributes = {.content_type = "text/plain"}, .chunk_bytes = kChunk, .path = WritePath::kOneStream});
  ASSERT_TRUE(begun.Write(AsBytes(bytes_)).ok());
  const auto state = begun.Suspend();
  ASSERT_TRUE(state.ok());
  bool has_lost = false;
  gcs_.on_request = [&] {
    for (const auto& [name, value] : gcs_.requests.back().headers) {
      const bool is_last = name == "Content-Range" && !std::string_view(value).ends_with("/*");
      if (is_last && !std::exchange(has_lost, true)) gcs_.faults = {{.after = kReset}, {.status = 404}};
    }
  };
  const auto stored = Finish(*state, bytes_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(has_lost && gcs_.faults.empty());
  EXPECT_EQ(stored->generation, gcs_.objects["o"].generation);
  EXPECT_EQ(gcs_.commits, 1);
}

TEST_F(SuspendedUploadTest, ReportsAMissingSession) {
  const std::string state = SuspendAfter(2 * kChunk + 1);
  gcs_.sessions.clear();
  EXPECT_TRUE(testing::FailsWith(ObjectWriter::Resume(other_client_, state), ErrorCode::kSessionLost,
                                 Not(HasSubstr("upload_id"))));
}

TEST_F(SuspendedUploadTest, RefusesABrokenOrForeignState) {
  std::string state = SuspendAfter(kChunk + 1);
  gcs_.requests.clear();
  EXPECT_EQ(testing::ErrorOf(ObjectWriter::Resume(client_, "")).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(ObjectWriter::Resume(client_, state.substr(1))).code, ErrorCode::kInvalidArgument);
  const auto elsewhere = Client::Create({.endpoint = "http://127.0.0.1:1"});
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_TRUE(testing::FailsWith(ObjectWriter::Resume(*elsewhere, state), ErrorCode::kInvalidArgument,
                                 HasSubstr("another service")));
  EXPECT_TRUE(gcs_.requests.empty());
}

}  // namespace
}  // namespace gcsflux
