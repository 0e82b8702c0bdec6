// ObjectReader against the emulator: ranges, read-ahead, and changes of the object.
#include "gcsflux/object_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/client_core.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/load_fault.h"
#include "support/result.h"
#include "support/room_in.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

using testing::kObject;
using testing::RoomIn;

std::string Content(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
  return bytes;
}

class ObjectReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    Put(content_);
  }
  void Put(const std::string& bytes) { ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(bytes)).ok()); }
  ObjectReader Open(ObjectReaderOptions options = {}) {
    auto reader = ObjectReader::Open(client_, kObject, std::move(options));
    EXPECT_TRUE(reader.ok()) << testing::ErrorOf(reader).message;
    return *std::move(reader);
  }
  static std::string ReadAt(const ObjectReader& reader, std::uint64_t offset, std::size_t length) {
    std::string room(length, '\0');
    const auto read = reader.ReadAt(offset, RoomIn(room));
    EXPECT_TRUE(read.ok()) << testing::ErrorOf(read).message;
    room.resize(read ? *read : 0);
    return room;
  }

  const std::string content_ = Content(1'000'000);
  emulator::Emulator emulator_;
  const Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .project = "p",
                       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)})});
};

TEST_F(ObjectReaderTest, ReadsAtAnyOffset) {
  const auto reader = Open({.range_bytes = 100'000});
  EXPECT_EQ(reader.size(), content_.size());
  EXPECT_EQ(ReadAt(reader, 0, 10), content_.substr(0, 10));
  EXPECT_EQ(ReadAt(reader, 123'456, 300'000), content_.substr(123'456, 300'000));
  EXPECT_EQ(ReadAt(reader, 999'990, 100), content_.substr(999'990));
  EXPECT_EQ(ReadAt(reader, 1'000'000, 1), "");
  EXPECT_EQ(ReadAt(reader, ~std::uint64_t{0}, 1), "");
}

TEST_F(ObjectReaderTest, ReadsManyRangesInFewRequests) {
  const auto reader = Open({.max_gap_bytes = 100, .tail_bytes = 0});
  std::vector<std::string> rooms(1000, std::string(900, '\0'));
  std::vector<RangeRead> ranges;
  for (std::size_t i = 0; i < rooms.size(); ++i) ranges.push_back({i * 1000, RoomIn(rooms[i])});
  std::swap(ranges[3], ranges[900]);
  ASSERT_TRUE(reader.Read(ranges).ok());
  for (std::size_t i = 0; i < rooms.size(); ++i) EXPECT_EQ(rooms[i], content_.substr(i * 1000, 900)) << i;
  EXPECT_EQ(reader.requests(), 1U);
}

TEST_F(ObjectReaderTest, RefusesInvalidRanges) {
  const auto reader = Open();
  std::string room(10, 'x');
  EXPECT_EQ(testing::ErrorOf(reader.Read({{999'991, RoomIn(room)}})).code, ErrorCode::kOutOfRange);
  EXPECT_EQ(testing::ErrorOf(reader.Read({{~std::uint64_t{0}, RoomIn(room)}})).code, ErrorCode::kOutOfRange);
  EXPECT_EQ(testing::ErrorOf(reader.Read({{0, RoomIn(room)}, {50, RoomIn(room).subspan(9)}})).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(room, "xxxxxxxxxx");
  EXPECT_TRUE(reader.Read({}).ok());
  EXPECT_EQ(reader.requests(), 0U);
  for (const ObjectReaderOptions& options :
       {ObjectReaderOptions{.max_concurrency = 0}, ObjectReaderOptions{.range_bytes = 0},
        ObjectReaderOptions{.read_ahead_bytes = 0}}) {
    EXPECT_EQ(testing::ErrorOf(ObjectReader::Open(client_, kObject, options)).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(testing::ErrorOf(ObjectReader::Open(client_, ObjectName{"bkt", "none"})).code, ErrorCode::kNotFound);
  EXPECT_EQ(testing::ErrorOf(ObjectReader::Open(client_, DownloadSource{kObject, 10, 0})).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ObjectReaderTest, CachesTheTail) {
  const auto reader = Open({.tail_bytes = 1000});
  EXPECT_EQ(ReadAt(reader, 999'990, 10), content_.substr(999'990));
  EXPECT_EQ(ReadAt(reader, 999'000, 500), content_.substr(999'000, 500));
  EXPECT_EQ(ReadAt(reader, 999'500, 500), content_.substr(999'500));
  EXPECT_EQ(reader.requests(), 1U);
}

TEST_F(ObjectReaderTest, ReadsAheadSequentially) {
  auto reader = Open({.range_bytes = 50'000, .read_ahead_bytes = 400'000, .tail_bytes = 0});
  std::string all;
  std::string room(7'777, '\0');
  while (true) {
    const auto read = reader.ReadNext(RoomIn(room));
    ASSERT_TRUE(read.ok()) << testing::ErrorOf(read).message;
    if (*read == 0) break;
    all.append(room, 0, *read);
  }
  EXPECT_TRUE(all == content_);
  EXPECT_EQ(reader.position(), content_.size());
  EXPECT_EQ(reader.fetched_bytes(), content_.size());
  EXPECT_EQ(reader.requests(), 20U);
  EXPECT_TRUE(reader.VerifyWhole().ok());
  EXPECT_EQ(reader.requests(), 20U);
}

TEST_F(ObjectReaderTest, ReadsAheadAtOnceInWholeReads) {
  auto reader = Open({.range_bytes = 50'000, .read_ahead_bytes = 400'000, .reads_whole = true});
  std::string room(1, '\0');
  ASSERT_TRUE(reader.ReadNext(RoomIn(room)).ok());
  EXPECT_EQ(reader.read_ahead_bytes(), 400'000U);
  std::string rest(content_.size(), '\0');
  EXPECT_EQ(*reader.ReadNext(RoomIn(rest)), content_.size() - 1);
  EXPECT_TRUE(room + rest.substr(0, content_.size() - 1) == content_);
  EXPECT_EQ(reader.read_ahead_bytes(), 400'000U);
  EXPECT_EQ(reader.fetched_bytes(), content_.size());
}

// The first read starts the other requests before it waits for its own bytes, and no connection is idle.
TEST_F(ObjectReaderTest, DividesAWholeReadAmongAllConnections) {
  const std::string large = Content(40'000'000);
  Put(large);
  // Otherwise Open() may notice that the service is near, so that short requests are as good.
  testing::LoadFault(emulator_, "distant", {.operation = "storage.objects.get"},
                     {.type = "stall", .duration = milliseconds(20)}, 1);
  auto reader = Open({.max_concurrency = 8, .reads_whole = true});
  EXPECT_EQ(emulator_.faults().Fired("distant"), 1U);
  std::string all(large.size(), '\0');
  EXPECT_EQ(*reader.ReadNext(RoomIn(all).first(16U << 20)), 16U << 20);
  EXPECT_EQ(reader.requests(), 8U);
  EXPECT_EQ(*reader.ReadNext(RoomIn(all).subspan(16U << 20)), all.size() - (16U << 20));
  EXPECT_TRUE(all == large);
  EXPECT_EQ(reader.requests(), 8U);
}

TEST_F(ObjectReaderTest, DividesALongRangeAmongAllConnections) {
  const std::string large = Content(40'000'000);
  Put(large);
  const auto reader = Open({.max_concurrency = 8});
  EXPECT_TRUE(ReadAt(reader, 0, large.size()) == large);
  EXPECT_EQ(reader.requests(), 8U);
}

// The object in one request, whose first answer has a wrong byte: no reader may see that.
TEST_F(ObjectReaderTest, ShowsNoByteOfAWholeObjectBeforeVerification) {
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get"}, {.type = "corrupt", .at_byte = 5}, 1);
  auto reader = Open();
  std::string room(100, '\0');
  ASSERT_TRUE(reader.ReadNext(RoomIn(room)).ok());
  EXPECT_EQ(room, content_.substr(0, 100));
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_TRUE(reader.VerifyWhole().ok());
}

// As padding between records is.
TEST_F(ObjectReaderTest, ContinuesReadAheadAfterASmallSkip) {
  auto reader = Open({.range_bytes = 50'000, .read_ahead_bytes = 200'000, .tail_bytes = 70'000});
  EXPECT_EQ(ReadAt(reader, 999'000, 1'000), content_.substr(999'000));
  std::string room(990, '\0');
  for (std::uint64_t at = 0; at < content_.size(); at += 1'000) {
    reader.Seek(at);
    ASSERT_TRUE(reader.ReadNext(RoomIn(room)).ok());
    EXPECT_EQ(room, content_.substr(at, room.size()));
  }
  EXPECT_EQ(reader.requests(), 1U + 19U);  // The tail, and the ranges before it.
  EXPECT_TRUE(reader.VerifyWhole().ok());
  EXPECT_EQ(reader.fetched_bytes(), content_.size());
}

TEST_F(ObjectReaderTest, SeeksDuringReadAhead) {
  auto reader = Open({.range_bytes = 20'000, .read_ahead_bytes = 100'000});
  std::string room(1'000, '\0');
  for (const std::uint64_t offset : {0U, 30'000U, 900'000U, 10U, 999'500U, 0U, 1'000'000U, 45'000U}) {
    reader.Seek(offset);
    const auto read = reader.ReadNext(RoomIn(room));
    ASSERT_TRUE(read.ok()) << testing::ErrorOf(read).message;
    EXPECT_EQ(room.substr(0, *read), content_.substr(offset, room.size())) << offset;
  }
}

TEST_F(ObjectReaderTest, UsesPrefetchedBytes) {
  const auto reader = Open({.range_bytes = 10'000, .tail_bytes = 0});
  reader.Prefetch({{100'000, 25'000}, {500'000, 1}, {2'000'000, 5}});
  EXPECT_EQ(ReadAt(reader, 100'000, 25'000), content_.substr(100'000, 25'000));
  EXPECT_EQ(ReadAt(reader, 500'000, 1), content_.substr(500'000, 1));
  EXPECT_EQ(reader.requests(), 4U);
}

// The first one reads ahead and never reads: it uses the whole budget.
TEST_F(ObjectReaderTest, NeverWaitsForAnotherReader) {
  const auto client = Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .max_undelivered_bytes = 1});
  {
    const auto idle = ObjectReader::Open(*client, kObject, {.range_bytes = 50'000});
    idle->Prefetch({{0, 500'000}});
    auto busy = ObjectReader::Open(*client, kObject, {.range_bytes = 50'000});
    std::string all(content_.size(), '\0');
    for (std::size_t at = 0; at < all.size(); at += 10'000) {
      ASSERT_TRUE(busy->ReadNext(RoomIn(all).subspan(at, 10'000)).ok());
    }
    EXPECT_TRUE(all == content_);
    EXPECT_EQ(ReadAt(*idle, 400'000, 100'000), content_.substr(400'000, 100'000));
  }
  EXPECT_EQ(CoreOf(*client).delivery_budget().held(), 0U);
}

TEST_F(ObjectReaderTest, ServesManyThreads) {
  const auto reader = Open({.range_bytes = 30'000});
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 30; ++i) {
        const std::size_t offset = (t * 7919 + i * 104'729) % 900'000;
        EXPECT_EQ(ReadAt(reader, offset, 5'000 + i * 1'000), content_.substr(offset, 5'000 + i * 1'000));
      }
    });
  }
}

TEST_F(ObjectReaderTest, NeverMixesGenerations) {
  auto reader = Open({.range_bytes = 10'000, .tail_bytes = 0});
  EXPECT_EQ(ReadAt(reader, 0, 100), content_.substr(0, 100));
  Put(Content(1'000'001));
  std::string room(100, '\0');
  const auto read = reader.ReadAt(500, RoomIn(room));
  EXPECT_EQ(testing::ErrorOf(read).code, ErrorCode::kAborted);
  EXPECT_THAT(testing::ErrorOf(read).message, HasSubstr("gs://bkt/o"));
  EXPECT_EQ(testing::ErrorOf(reader.ReadNext(RoomIn(room))).code, ErrorCode::kAborted);
  EXPECT_EQ(reader.position(), 0U);
  EXPECT_EQ(testing::ErrorOf(reader.VerifyWhole()).code, ErrorCode::kAborted);
}

TEST_F(ObjectReaderTest, VerifiesAnEmptyObjectWithoutARequest) {
  Put("");
  auto reader = Open();
  EXPECT_EQ(ReadAt(reader, 0, 5), "");
  EXPECT_TRUE(reader.VerifyWhole().ok());
  EXPECT_EQ(reader.requests(), 0U);
}

TEST_F(ObjectReaderTest, FetchesTheRestToVerify) {
  const auto reader = Open({.range_bytes = 60'000, .tail_bytes = 0});
  EXPECT_EQ(ReadAt(reader, 100, 50'000), content_.substr(100, 50'000));
  EXPECT_EQ(ReadAt(reader, 40'000, 50'000), content_.substr(40'000, 50'000));
  EXPECT_TRUE(reader.VerifyWhole().ok());
  EXPECT_EQ(reader.fetched_bytes(), content_.size() + 10'100);
}

TEST_F(ObjectReaderTest, OpensAListedSourceWithoutARequest) {
  const auto found = client_.GetObject(kObject);
  const std::size_t before = emulator_.journal().size();
  DownloadSource source{kObject, found->size, found->generation, *found->crc32c ^ 1U};
  const auto reader = ObjectReader::Open(client_, source);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(emulator_.journal().size(), before);
  EXPECT_EQ(ReadAt(*reader, 5, 5), content_.substr(5, 5));
  EXPECT_EQ(testing::ErrorOf(reader->VerifyWhole()).code, ErrorCode::kCorrupted);
  source.size = 999'999;
  std::string room(5, '\0');
  EXPECT_EQ(testing::ErrorOf(ObjectReader::Open(client_, source)->ReadAt(5, RoomIn(room))).code, ErrorCode::kCorrupted);
}

TEST_F(ObjectReaderTest, StopsOnRequest) {
  std::stop_source stop;
  auto reader = Open({.stop = stop.get_token()});
  stop.request_stop();
  std::string room(5, '\0');
  EXPECT_EQ(testing::ErrorOf(reader.ReadAt(0, RoomIn(room))).code, ErrorCode::kCancelled);
  EXPECT_EQ(testing::ErrorOf(reader.VerifyWhole()).code, ErrorCode::kCancelled);
}

// Its event loops end with the last reader, not with the Client: even during read-ahead.
TEST_F(ObjectReaderTest, OutlivesItsClient) {
  auto client = std::make_unique<Client>(*Client::Create({.endpoint = emulator_.endpoint(), .project = "p"}));
  const ObjectReaderOptions ahead{.range_bytes = 50'000, .read_ahead_bytes = 400'000, .reads_whole = true};
  std::optional<ObjectReader> destroyed = ObjectReader::Open(*client, kObject, ahead).value();
  auto reader = ObjectReader::Open(*client, kObject, ahead).value();
  std::string room(content_.size(), '\0');
  ASSERT_EQ(reader.ReadNext(RoomIn(room).first(1)).value(), 1U);
  client.reset();
  ASSERT_TRUE(destroyed->NextView().ok());
  destroyed.reset();
  EXPECT_EQ(reader.ReadNext(RoomIn(room).subspan(1)).value(), content_.size() - 1);
  EXPECT_TRUE(room == content_);
  EXPECT_TRUE(reader.VerifyWhole().ok());
}

}  // namespace
}  // namespace gcsflux
