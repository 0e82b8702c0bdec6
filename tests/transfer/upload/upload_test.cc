// UploadObject and ObjectWriter under failures: exactly one commit, of the right bytes, or nothing.
#include "gcsflux/upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "transfer/upload/read_back.h"

namespace gcsflux {
namespace {

using testing::Fault;
using testing::kChunk;
using testing::kObject;
using testing::kReset;
using testing::Pattern;

class UploadTest : public ::testing::Test {
 protected:
  // Streams `bytes` in uneven pieces.
  Result<ObjectMetadata> Stream(const std::string& bytes, UploadOptions options = {}) {
    options.chunk_bytes = kChunk;
    options.path = WritePath::kOneStream;
    ObjectWriter writer(client_, kObject, options);
    for (std::size_t at = 0; at < bytes.size(); at += 100'003) {
      if (auto written = writer.Write(AsBytes(std::string_view(bytes).substr(at, 100'003))); !written) {
        return written.error();
      }
    }
    return writer.Close();
  }

  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_);
};

TEST_F(UploadTest, StoresASmallObjectInOneRequest) {
  const auto stored = UploadObject(client_, kObject, AsBytes("hello"),
                                   {.attributes = {.content_type = "text/plain", .metadata = {{"k", "v"}}}});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(gcs_.requests.size(), 1U);
  EXPECT_EQ(gcs_.objects["o"].bytes, "hello");
  EXPECT_EQ(gcs_.objects["o"].content_type, "text/plain");
  EXPECT_EQ(stored->metadata.at("k"), "v");
}

TEST_F(UploadTest, CreateRefusesAnExistingObject) {
  gcs_.Put("o", "old");
  EXPECT_TRUE(testing::FailsWith(UploadObject(client_, kObject, AsBytes("new"), {.mode = WriteMode::kCreate}),
                                 ErrorCode::kPreconditionFailed));
  EXPECT_EQ(gcs_.objects["o"].bytes, "old");
}

TEST_F(UploadTest, ReplaceRequiresTheGivenGeneration) {
  gcs_.Put("o", "old");
  const std::int64_t generation = gcs_.objects["o"].generation;
  EXPECT_FALSE(UploadObject(client_, kObject, AsBytes("a"), {.mode = WriteMode::kReplace, .generation = 1}).ok());
  EXPECT_TRUE(
      UploadObject(client_, kObject, AsBytes("b"), {.mode = WriteMode::kReplace, .generation = generation}).ok());
  EXPECT_EQ(gcs_.objects["o"].bytes, "b");
}

TEST_F(UploadTest, ReplaceNeedsAGeneration) {
  EXPECT_TRUE(testing::FailsWith(UploadObject(client_, kObject, AsBytes("a"), {.mode = WriteMode::kReplace}),
                                 ErrorCode::kInvalidArgument));
  EXPECT_TRUE(gcs_.objects.empty());
}

TEST_F(UploadTest, LostAnswerIsASuccessWithoutARetry) {
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    gcs_.objects.clear();
    gcs_.commits = 0;
    gcs_.faults = {{.after = kReset}};
    const auto stored = UploadObject(client_, kObject, AsBytes("hello"), {.mode = mode});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    EXPECT_TRUE(gcs_.faults.empty());
    EXPECT_EQ(gcs_.commits, 1);
    EXPECT_EQ(stored->generation, gcs_.objects["o"].generation);
  }
}

TEST_F(UploadTest, OverwriteIsRetriedUnderACondition) {
  gcs_.Put("o", "old");
  gcs_.now += std::chrono::hours(1);
  gcs_.faults = {{.before = kReset}};
  ASSERT_TRUE(UploadObject(client_, kObject, AsBytes("new")).ok());
  EXPECT_EQ(gcs_.objects["o"].bytes, "new");
  EXPECT_THAT(gcs_.requests.back().url, ::testing::HasSubstr("ifGenerationMatch=1001"));
}

TEST_F(UploadTest, RivalsWriteIsNotMistakenForOurs) {
  gcs_.Put("o", "rival");
  gcs_.faults = {{.before = kReset}};
  EXPECT_TRUE(testing::FailsWith(UploadObject(client_, kObject, AsBytes("ours!"), {.mode = WriteMode::kCreate}),
                                 ErrorCode::kPreconditionFailed));
  EXPECT_EQ(gcs_.objects["o"].bytes, "rival");
}

TEST_F(UploadTest, OtherAttributesDistinguishARivalsObject) {
  for (const auto& [type, metadata] :
       {std::pair(std::string("text/rival"), std::string("v")), {"text/plain", "rival"}}) {
    gcs_.objects["o"] = {.generation = 5, .bytes = "same", .content_type = type, .metadata = {{"k", metadata}}};
    gcs_.faults = {{.before = kReset}};
    const auto stored = UploadObject(
        client_, kObject, AsBytes("same"),
        {.mode = WriteMode::kCreate, .attributes = {.content_type = "text/plain", .metadata = {{"k", "v"}}}});
    EXPECT_TRUE(testing::FailsWith(stored, ErrorCode::kPreconditionFailed)) << type << " " << metadata;
  }
}

TEST(HasAttributes, ComparesAllAttributes) {
  const ObjectAttributes given{.custom_time = std::chrono::system_clock::time_point(std::chrono::milliseconds(5)),
                               .metadata = {{"k", "v"}}};
  const ObjectMetadata ours{.content_type = given.content_type,
                            .storage_class = "STANDARD",
                            .custom_time = given.custom_time,
                            .metadata = {{"k", "v"}}};
  EXPECT_TRUE(internal::HasAttributes(ours, given)) << "the class is the bucket's";
  const auto differs = [&](auto change) {
    ObjectAttributes other = given;
    change(other);
    return !internal::HasAttributes(ours, other);
  };
  EXPECT_TRUE(differs([](auto& a) { a.content_type = "x"; }));
  EXPECT_TRUE(differs([](auto& a) { a.content_encoding = "x"; }));
  EXPECT_TRUE(differs([](auto& a) { a.content_disposition = "x"; }));
  EXPECT_TRUE(differs([](auto& a) { a.content_language = "x"; }));
  EXPECT_TRUE(differs([](auto& a) { a.cache_control = "x"; }));
  EXPECT_TRUE(differs([](auto& a) { a.storage_class = "COLDLINE"; }));
  EXPECT_TRUE(differs([](auto& a) { a.custom_time = std::nullopt; }));
  EXPECT_TRUE(differs([](auto& a) { a.metadata["k"] = "x"; }));
}

TEST_F(UploadTest, StreamsAnyLength) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kChunk - 1, kChunk, kChunk + 1, 2 * kChunk, 3 * kChunk + 7}) {
    const std::string bytes = Pattern(size);
    const auto stored = Stream(bytes);
    ASSERT_TRUE(stored.ok()) << size << ": " << stored.error().message;
    EXPECT_EQ(stored->size, size);
    EXPECT_TRUE(gcs_.objects["o"].bytes == bytes) << size;
  }
}

TEST_F(UploadTest, SendsLargeMemoryInChunksWithoutACopy) {
  const std::string bytes = Pattern(5 * kChunk);
  const auto stored = UploadObject(client_, kObject, AsBytes(bytes), {.chunk_bytes = kChunk});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes);
  EXPECT_EQ(gcs_.requests.size(), 6U);  // The session's start and five chunks.
}

// A whole chunk is held back until more bytes follow: the last one closes the session.
TEST_F(UploadTest, SendsOneRequestPerChunk) {
  const std::string bytes = Pattern(2 * kChunk);
  ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  ASSERT_TRUE(writer.Write(AsBytes(bytes)).ok());
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(gcs_.objects["o"].bytes == bytes);
  EXPECT_EQ(gcs_.requests.size(), 3U);  // The session's start and two chunks.
}

TEST_F(UploadTest, SurvivesEveryFaultOfASession) {
  // Request 0 starts the session; 1 is the first chunk, 2 the second, 3 the last.
  const Fault faults[] = {{.before = kReset},     {.after = kReset},    {.status = 503},
                          {.status = 429},        {.persist = 100'000}, {.persist = 0},
                          {.forget_range = true}, {.status = 408},      {.after = Error{ErrorCode::kTruncated, "cut"}}};
  const std::string bytes = Pattern(2 * kChunk + 1000);
  for (std::size_t at = 0; at < 4; ++at) {
    for (const Fault& fault : faults) {
      gcs_.objects.clear();
      gcs_.commits = 0;
      gcs_.faults.assign(at, {});
      gcs_.faults.push_back(fault);
      const auto stored = Stream(bytes, {.mode = WriteMode::kCreate});
      const auto which = &fault - faults;
      ASSERT_TRUE(stored.ok()) << "request " << at << ", fault " << which << ": " << stored.error().message;
      EXPECT_TRUE(gcs_.faults.empty());
      EXPECT_TRUE(gcs_.objects["o"].bytes == bytes) << "request " << at << ", fault " << which;
      EXPECT_EQ(gcs_.commits, 1) << "request " << at << ", fault " << which;
    }
  }
}

TEST_F(UploadTest, ReportsALostSessionAndLeavesNothing) {
  for (const int status : {404, 410}) {
    gcs_.faults = {{}, {}, {.status = status}};
    EXPECT_TRUE(testing::FailsWith(Stream(Pattern(3 * kChunk)), ErrorCode::kSessionLost));
    EXPECT_TRUE(gcs_.objects.empty());
  }
}

TEST_F(UploadTest, KeepsItsFirstError) {
  gcs_.faults = {{.status = 403}};
  ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
  const std::string bytes = Pattern(2 * kChunk);
  EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes(bytes))).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes("x"))).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(testing::ErrorOf(writer.Close()).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(gcs_.requests.size(), 1U);
}

TEST_F(UploadTest, DestroyedWriterCancelsItsSession) {
  {
    ObjectWriter writer(client_, kObject, {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
    ASSERT_TRUE(writer.Write(AsBytes(Pattern(2 * kChunk))).ok());
    ASSERT_EQ(gcs_.sessions.size(), 1U);
  }
  EXPECT_TRUE(gcs_.sessions.empty());
  EXPECT_TRUE(gcs_.objects.empty());
}

TEST_F(UploadTest, FailedWriterKeepsItsSessionWhenDestroyed) {
  for (const ErrorCode code : {ErrorCode::kUnavailable, ErrorCode::kUnreachable}) {
    gcs_.sessions.clear();
    gcs_.requests.clear();
    gcs_.faults = {{}, {.before = Error{code, "gone"}}};
    {
      ObjectWriter writer(testing::MakeClient(gcs_, {.max_attempts = 1}), kObject,
                          {.chunk_bytes = kChunk, .path = WritePath::kOneStream});
      EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes(Pattern(2 * kChunk)))).code, code);
    }
    EXPECT_EQ(gcs_.sessions.size(), 1U);  // Its state may be with another process.
    EXPECT_EQ(gcs_.requests.size(), 2U);
  }
}

TEST_F(UploadTest, RefusesWritesAfterClose) {
  ObjectWriter writer(client_, kObject);
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes("x"))).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(writer.Close()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(gcs_.objects["o"].bytes, "");
}

TEST_F(UploadTest, RefusesABadName) {
  EXPECT_EQ(testing::ErrorOf(UploadObject(client_, {"bkt", ""}, {})).code, ErrorCode::kInvalidArgument);
  ObjectWriter writer(client_, {"B", "o"});
  EXPECT_EQ(testing::ErrorOf(writer.Write(AsBytes("x"))).code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(gcs_.requests.empty());
}

}  // namespace
}  // namespace gcsflux
