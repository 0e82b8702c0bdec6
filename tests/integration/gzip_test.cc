// Objects stored with Content-Encoding: gzip, read as stored and decompressed.
#include "support/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using testing::Gzip;
using ::testing::HasSubstr;

class GzipTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    std::uint32_t state = 1;
    for (int i = 0; i < 300'000; ++i) text_ += static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 26);
    stored_ = Gzip(text_);
    Put(stored_, "gzip");
  }

  void Put(const std::string& bytes, const std::string& encoding) {
    const auto put = client_.InsertObject(kObject, AsBytes(bytes), {.attributes = {.content_encoding = encoding}});
    ASSERT_TRUE(put.ok()) << put.error().message;
  }
  // The next read meets it.
  void Load(const emulator::FaultAction& action) {
    emulator_.faults().Load(
        {.rules = {
             {.name = "it", .match = {.operation = "storage.objects.get"}, .action = action, .limits = {.count = 1}}}});
  }
  Result<ReadSummary> ReadInto(std::string& text, const ReadObjectOptions& options) {
    const ByteSink append = [&](std::span<const std::byte> bytes) -> Result<void> {
      text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    };
    return client_.ReadObject(kObject, append, options);
  }

  const ObjectName kObject{"bkt", "o"};
  std::string text_;
  std::string stored_;
  emulator::Emulator emulator_;
  Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .project = "test",
                       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(2)})});
};

TEST_F(GzipTest, IsDeliveredAsStoredByDefault) {
  std::string bytes;
  const auto read = ReadInto(bytes, {});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(bytes == stored_);
  EXPECT_FALSE(read->is_decompressed);
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.range = ByteRange{10, 20}})), stored_.substr(10, 20));
}

TEST_F(GzipTest, IsDecompressedOnRequestAndCountedBothWays) {
  std::string bytes;
  const auto read = ReadInto(bytes, {.decompress_gzip = true});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(bytes == text_);
  EXPECT_TRUE(read->is_decompressed);
  EXPECT_EQ(read->bytes, text_.size());
  EXPECT_EQ(read->object_size, stored_.size());
  EXPECT_EQ(read->crc32c, client_.GetObject(kObject)->crc32c);
}

TEST_F(GzipTest, ResumesABrokenRead) {
  Load({.type = "cut", .after_bytes = stored_.size() / 2, .resets = true});
  std::string bytes;
  ASSERT_TRUE(ReadInto(bytes, {.decompress_gzip = true}).ok());
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_TRUE(bytes == text_);
  EXPECT_TRUE(emulator::FindBytesServedTwice(emulator_.journal()).empty());
}

TEST_F(GzipTest, DistinguishesTransferFromStoredCorruption) {
  for (const std::uint64_t at :
       {std::uint64_t{0}, std::uint64_t{stored_.size() / 2}, std::uint64_t{stored_.size() - 1}}) {
    Load({.type = "corrupt", .at_byte = at});
    std::string bytes;
    const auto streamed = ReadInto(bytes, {.decompress_gzip = true});
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    EXPECT_TRUE(testing::FailsWith(streamed, ErrorCode::kCorrupted)) << at;
    Load({.type = "corrupt", .at_byte = at});
    const auto read = client_.ReadObject(kObject, {.decompress_gzip = true});
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(*read == text_) << "it was read twice";
  }
}

TEST_F(GzipTest, ReportsAnObjectThatIsNotGzip) {
  for (const std::string& broken : {std::string("no gzip data"), stored_.substr(0, stored_.size() / 2)}) {
    Put(broken, "gzip");
    EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kObject, {.decompress_gzip = true}), ErrorCode::kUndecodable,
                                   HasSubstr("objects.get gs://bkt/o: the object is stored with Content-Encoding")));
    EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject)), broken);
  }
}

TEST_F(GzipTest, PassesOtherObjectsUnchanged) {
  Put(stored_, "");
  std::string bytes;
  const auto read = ReadInto(bytes, {.decompress_gzip = true});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(bytes == stored_);
  EXPECT_FALSE(read->is_decompressed);
}

TEST_F(GzipTest, RefusesToDecompressARange) {
  EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kObject, {.range = ByteRange{0, 10}, .decompress_gzip = true}),
                                 ErrorCode::kInvalidArgument));
}

TEST_F(GzipTest, RefusesABufferTooSmallForTheOutput) {
  std::vector<std::byte> buffer(text_.size());
  const auto read = client_.ReadObject(kObject, buffer, {.decompress_gzip = true});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->bytes, text_.size());
  EXPECT_TRUE(std::ranges::equal(buffer, AsBytes(text_)));
  buffer.pop_back();
  EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kObject, buffer, {.decompress_gzip = true}),
                                 ErrorCode::kInvalidArgument,
                                 HasSubstr("objects.get gs://bkt/o: the buffer holds 299999 bytes")));
}

}  // namespace
}  // namespace gcsflux
