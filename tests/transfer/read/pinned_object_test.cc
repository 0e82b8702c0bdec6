#include "transfer/read/pinned_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/crc32c.h"
#include "gcsflux/emulator/emulator.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

class PinnedObjectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    const auto stored = client_.InsertObject({"bkt", "o"}, AsBytes(content_));
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    source_ = {{"bkt", "o"}, stored->size, stored->generation, stored->crc32c};
  }

  Result<RangeAnswer> Read(const Range& range) {
    came_.clear();
    const RangeSink sink = [&](std::uint64_t offset, std::span<const std::byte> bytes) -> Result<void> {
      EXPECT_EQ(offset, range.offset + came_.size());
      came_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    };
    return object_.ReadRange(range, {.sink = sink}, {});
  }

  const std::string content_ = gcsflux::testing::Pattern(300'000);
  emulator::Emulator emulator_;
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
  DownloadSource source_;
  const std::optional<EncryptionKey> no_key_;
  const CallOptions call_;
  PinnedObject object_{client_, source_, no_key_, call_};
  std::string came_;
};

TEST_F(PinnedObjectTest, PassesTheOffsetToTheSink) {
  const auto read = Read({100'000, 150'000});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(came_ == content_.substr(100'000, 150'000));
  EXPECT_EQ(read->crc32c, ExtendCrc32c(0, AsBytes(came_)));
  EXPECT_EQ(read->times.bytes, 150'000U);
  EXPECT_LE(read->times.first_byte, read->times.total);
}

TEST_F(PinnedObjectTest, PassesNoExcessBytesToTheSink) {
  source_.size = 1'000;
  std::uint64_t came = 0;
  const RangeSink sink = [&](std::uint64_t, std::span<const std::byte> bytes) -> Result<void> {
    came += bytes.size();
    return {};
  };
  const Error error = gcsflux::testing::ErrorOf(object_.ReadWhole({.sink = sink}, {}));
  EXPECT_EQ(error.code, ErrorCode::kCorrupted);
  EXPECT_THAT(error.message, HasSubstr("more bytes came of an object that was listed with 1000"));
  EXPECT_LE(came, 1'000U);
}

TEST_F(PinnedObjectTest, RefusesAnObjectOfAnotherSize) {
  for (const std::uint64_t size : {299'999, 300'001}) {
    source_.size = size;
    const Error error = gcsflux::testing::ErrorOf(Read({0, 1'000}));
    EXPECT_EQ(error.code, ErrorCode::kCorrupted) << error.message;
    EXPECT_THAT(error.message, HasSubstr("300000 bytes are stored"));
  }
  const Error error = gcsflux::testing::ErrorOf(Read({300'000, 1}));
  EXPECT_EQ(error.code, ErrorCode::kCorrupted) << error.message;
  EXPECT_THAT(error.message, HasSubstr("no byte 300000"));
}

TEST_F(PinnedObjectTest, VerifiesBytesByTheSourceOrTheAnswers) {
  EXPECT_EQ(gcsflux::testing::ErrorOf(object_.CheckWhole(*source_.crc32c + 1)).code, ErrorCode::kCorrupted);
  EXPECT_TRUE(object_.CheckWhole(*source_.crc32c).ok());
  EXPECT_TRUE(object_.CompareWithAnswers(*source_.crc32c + 1).ok()) << "there is none yet";
  ASSERT_TRUE(Read({0, 1}).ok());
  EXPECT_EQ(gcsflux::testing::ErrorOf(object_.CompareWithAnswers(*source_.crc32c + 1)).code, ErrorCode::kCorrupted);
}

TEST_F(PinnedObjectTest, NeedsAGeneration) {
  source_.generation = 0;
  EXPECT_EQ(gcsflux::testing::ErrorOf(Read({0, 1})).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux::internal
