// ObjectReader::NextView: the caller sees the bytes in the buffer into which they were fetched.
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "client/client_core.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/object_reader.h"
#include "support/load_fault.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using testing::kObject;

std::string TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class LentBytesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(content_)).ok());
  }
  [[nodiscard]] Client MakeClient(std::uint64_t max_undelivered_bytes) const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = milliseconds(1)}),
                            .max_undelivered_bytes = max_undelivered_bytes});
  }
  ObjectReader Open(ObjectReaderOptions options = {}) {
    auto reader = ObjectReader::Open(client_, kObject, std::move(options));
    EXPECT_TRUE(reader.ok()) << testing::ErrorOf(reader).message;
    return *std::move(reader);
  }
  static std::string LendAll(ObjectReader& reader) {
    std::string all;
    while (true) {
      const auto lent = reader.NextView();
      EXPECT_TRUE(lent.ok()) << testing::ErrorOf(lent).message;
      if (!lent || lent->empty()) return all;
      all += TextOf(*lent);
    }
  }
  void Corrupt(std::uint64_t at) {
    testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get"}, {.type = "corrupt", .at_byte = at}, 1);
  }

  const std::string content_ = testing::Pattern(1'000'000);
  emulator::Emulator emulator_;
  Client client_ = MakeClient(256U << 20);
};

TEST_F(LentBytesTest, CoverTheObjectAndAreFetchedOnce) {
  for (const bool reads_whole : {false, true}) {
    auto reader =
        Open({.range_bytes = 50'000, .read_ahead_bytes = 400'000, .reads_whole = reads_whole, .tail_bytes = 0});
    EXPECT_TRUE(LendAll(reader) == content_);
    EXPECT_EQ(reader.position(), content_.size());
    EXPECT_EQ(reader.requests(), 20U);
    EXPECT_TRUE(reader.VerifyWhole().ok());
    EXPECT_EQ(reader.fetched_bytes(), content_.size());
  }
  EXPECT_EQ(CoreOf(client_).delivery_budget().held(), 0U);
}

TEST_F(LentBytesTest, ContinueAfterOtherReads) {
  auto reader = Open({.range_bytes = 30'000});
  reader.Seek(500);
  const std::string first = TextOf(*reader.NextView());
  std::string room(700, '\0');
  EXPECT_EQ(*reader.ReadNext(std::as_writable_bytes(std::span(room))), room.size());
  const std::string last = TextOf(*reader.NextView());
  const std::string all = first + room + last;
  EXPECT_TRUE(all == content_.substr(500, all.size()));
  reader.Seek(content_.size());
  EXPECT_TRUE(reader.NextView()->empty());
}

// Another reader uses the whole budget.
TEST_F(LentBytesTest, AreFetchedWithoutReadAhead) {
  client_ = MakeClient(1);
  auto idle = Open({.range_bytes = 50'000});
  idle.Prefetch({{0, 500'000}});
  auto busy = Open({.range_bytes = 50'000});
  EXPECT_TRUE(LendAll(busy) == content_);
}

TEST_F(LentBytesTest, AreReleasedByTheNextCall) {
  auto reader = Open({.range_bytes = 50'000, .read_ahead_bytes = 50'000, .tail_bytes = 0});
  reader.Prefetch({{0, 50'000}});
  EXPECT_EQ(TextOf(*reader.NextView()), content_.substr(0, 50'000));
  reader.Seek(content_.size());
  EXPECT_TRUE(reader.NextView()->empty());
  EXPECT_EQ(CoreOf(client_).delivery_budget().held(), 0U);
}

TEST_F(LentBytesTest, AreVerifiedBeforeForAWholeObject) {
  Corrupt(5);
  auto reader = Open();
  EXPECT_TRUE(TextOf(*reader.NextView()) == content_);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
}

TEST_F(LentBytesTest, AreVerifiedByVerifyWhole) {
  auto reader = Open({.range_bytes = 50'000, .reads_whole = true});
  Corrupt(5);
  EXPECT_FALSE(LendAll(reader) == content_);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(testing::ErrorOf(reader.VerifyWhole()).code, ErrorCode::kCorrupted);
}

TEST_F(LentBytesTest, BelongToOneGeneration) {
  auto reader = Open({.range_bytes = 10'000, .read_ahead_bytes = 10'000, .tail_bytes = 0});
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("another")).ok());
  EXPECT_EQ(testing::ErrorOf(reader.NextView()).code, ErrorCode::kAborted);
  EXPECT_EQ(reader.position(), 0U);
}

TEST_F(LentBytesTest, AreNotAwaitedAfterAStop) {
  std::stop_source stop;
  auto reader = Open({.range_bytes = 50'000, .stop = stop.get_token()});
  emulator_.clock().Freeze();
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get", .covers_byte = 0},
                     {.type = "stall", .after_bytes = 10, .duration = std::chrono::hours(1)}, 1);
  const std::jthread stopper([&] {
    emulator_.clock().AwaitWaiters(1);
    stop.request_stop();
  });
  EXPECT_EQ(testing::ErrorOf(reader.NextView()).code, ErrorCode::kCancelled);
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(reader.position(), 0U);
}

}  // namespace
}  // namespace gcsflux
