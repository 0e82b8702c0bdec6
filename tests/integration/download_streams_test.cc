// Streams of objects against the emulator: order, read-ahead, and their end.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gcsflux/download.h"
#include "support/counted_memory.h"
#include "support/fails_with.h"
#include "support/result.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using testing::CountedMemory;
using ::testing::HasSubstr;
using testing::TextOf;

class DownloadStreamsTest : public testing::StoredObjects {
 protected:
  void ExpectNext(DownloadStream& stream, std::size_t index) {
    const auto object = stream.Next();
    ASSERT_TRUE(object.ok()) << object.error().message;
    ASSERT_TRUE(object->has_value());
    ASSERT_EQ((*object)->index, index);
    EXPECT_TRUE(TextOf((*object)->bytes) == contents_[index]);
  }
  static void ExpectEnd(DownloadStream& stream) {
    const auto end = stream.Next();
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_FALSE(end->has_value());
  }
  void AwaitReads(std::size_t reads) const {
    while (Reads() < reads) std::this_thread::yield();
  }
};

TEST_F(DownloadStreamsTest, DeliverInOrder) {
  const auto sources = Store({0, 1, 500'000, 1'000, 3'000'000, 0, 70'000, 5});
  DownloadStream stream = Downloader(client_, {.max_concurrency = 4, .range_bytes = 100'000}).Stream(sources);
  for (std::size_t i = 0; i < sources.size(); ++i) ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, i));
  ExpectEnd(stream);
  ExpectEnd(stream);
}

TEST_F(DownloadStreamsTest, FetchAheadOnlyAfterTheFirstCall) {
  const auto sources = Store(std::vector<std::size_t>(20, 100'000));
  CountedMemory memory;
  DownloadStream stream = Downloader(client_, {.allocator = memory.allocator()}).Stream(sources);
  EXPECT_EQ(Reads(), 0U);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
  AwaitReads(11);  // 1 MiB in addition to the delivered one.
  for (std::size_t i = 1; i < sources.size(); ++i) ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, i));
  ExpectEnd(stream);
  EXPECT_EQ(Reads(), 20U);
  EXPECT_LE(memory.most(), (1U << 20) + 100'000) << "the last one delivered counts beside the budget";
  EXPECT_GT(memory.most(), 900'000U);
  EXPECT_EQ(memory.live(), 0U);
}

TEST_F(DownloadStreamsTest, DeliverAsCompletedPastAStalledObject) {
  const auto sources = Store({10, 20, 30, 40, 50});
  Stall({.object_prefix = "object 0"});
  DownloadStream stream = Downloader(client_, {.max_concurrency = 2}).Stream(sources, DeliveryOrder::kAsCompleted);
  std::vector<std::size_t> delivered;
  for (int i = 0; i < 4; ++i) {
    const auto object = stream.Next();
    ASSERT_TRUE(object.ok() && object->has_value());
    EXPECT_TRUE(TextOf((*object)->bytes) == contents_[(*object)->index]);
    delivered.push_back((*object)->index);
  }
  EXPECT_THAT(delivered, ::testing::UnorderedElementsAre(1, 2, 3, 4));
  emulator_.clock().AwaitWaiters(1);  // The other one's read may not have arrived there yet.
  EXPECT_EQ(emulator_.faults().Fired("stall"), 1U);
  emulator_.clock().Advance(std::chrono::hours(2));
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
  ExpectEnd(stream);
}

// Each stream receives its next object even if the budget is used up. It does not wait for streams that are not read.
TEST_F(DownloadStreamsTest, NeverWaitForEachOther) {
  const auto sources = Store({5'000, 0, 300'000, 10, 100'000, 40});
  for (const std::uint64_t budget : {0, 1, 6'000, 200'000}) {
    const Client client = MakeClient(budget);
    const Downloader one(client, {.max_concurrency = 2, .range_bytes = 60'000});
    const Downloader other(Client(client), {.max_concurrency = 1});
    std::vector<DownloadStream> streams;
    streams.push_back(one.Stream(sources));
    streams.push_back(one.Stream(sources));
    streams.push_back(other.Stream(sources));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (DownloadStream& stream : streams) ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, i));
    }
    for (DownloadStream& stream : streams) ExpectEnd(stream);
  }
}

TEST_F(DownloadStreamsTest, ShareOneBudget) {
  constexpr std::size_t kConsumers = 4;
  constexpr std::size_t kLargest = 60'000;
  constexpr std::uint64_t kBudget = 150'000;
  std::mt19937 random(4);
  std::vector<std::size_t> sizes(60);
  for (std::size_t& size : sizes) size = random() % kLargest;
  const auto sources = Store(sizes);
  const Client client = MakeClient(kBudget);
  CountedMemory memory;
  const Downloader one(client, {.max_concurrency = 3, .range_bytes = 20'000, .allocator = memory.allocator()});
  const Downloader other(client, {.max_concurrency = 3, .allocator = memory.allocator()});
  {
    std::vector<std::jthread> consumers;
    for (std::size_t c = 0; c < kConsumers; ++c) {
      consumers.emplace_back([&, c] {
        DownloadStream stream = (c % 2 == 0 ? one : other).Stream(sources);
        for (std::size_t i = 0; i < sources.size(); ++i) ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, i));
        ExpectEnd(stream);
      });
    }
  }
  // Of each consumer its next object, and its current one.
  EXPECT_LE(memory.most(), kBudget + 2 * kConsumers * kLargest);
  EXPECT_EQ(memory.live(), 0U);
}

TEST_F(DownloadStreamsTest, DeliverObjectsLargerThanTheBudget) {
  const auto sources = Store({3'000'000, 10, 2'000'000, 2'500'000});
  DownloadStream stream = Downloader(MakeClient(1'000), {.range_bytes = 400'000}).Stream(sources);
  for (std::size_t i = 0; i < sources.size(); ++i) ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, i));
  ExpectEnd(stream);
}

TEST_F(DownloadStreamsTest, StopReadsAndReleaseBudgetWhenDestroyed) {
  const auto sources = Store(std::vector<std::size_t>(12, 300'000));
  Stall({.object_glob = "object [2-9]"}, 1'000);
  CountedMemory memory;
  const Downloader downloader(client_, {.max_concurrency = 4, .allocator = memory.allocator()});
  {
    DownloadStream stream = downloader.Stream(sources);
    ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
    emulator_.clock().AwaitWaiters(2);  // More than its next object is in flight.
  }
  EXPECT_EQ(memory.live(), 0U);
  EXPECT_GE(emulator_.faults().Fired("stall"), 2U);
  emulator_.faults().Clear();
  const std::size_t before = Reads();
  DownloadStream another = downloader.Stream(sources);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(another, 0));
  AwaitReads(before + 4);  // That one, and 1 MiB.
}

TEST_F(DownloadStreamsTest, CanBeDestroyedBeforeTheyStart) {
  const auto sources = Store({10});
  const DownloadStream stream = Downloader(client_).Stream(sources);
  EXPECT_EQ(Reads(), 0U);
}

TEST_F(DownloadStreamsTest, AreCancellableDuringAnyWait) {
  const auto sources = Store({10, 500'000, 10});
  for (const std::uint64_t range_bytes : {0, 100'000}) {
    Stall({.object_prefix = "object 1"}, 1'000);
    std::stop_source stop;
    CountedMemory memory;
    const Downloader downloader(client_, {.range_bytes = range_bytes, .allocator = memory.allocator()});
    DownloadStream stream = downloader.Stream(sources, DeliveryOrder::kInOrder, stop.get_token());
    ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
    {
      const std::jthread stopper([&] {
        // Of this round: stalled requests of the previous one still wait.
        while (emulator_.faults().Fired("stall") == 0) std::this_thread::yield();
        stop.request_stop();
      });
      for (int again = 0; again < 2; ++again) {
        const auto next = stream.Next();
        EXPECT_TRUE(
            testing::FailsWith(next, ErrorCode::kCancelled, HasSubstr("stream of 3 objects: cancelled after 1")));
      }
    }
    EXPECT_GE(emulator_.faults().Fired("stall"), 1U);
    EXPECT_EQ(memory.live(), 0U);
    emulator_.faults().Clear();
    ASSERT_TRUE(downloader.Download(sources).ok()) << "its threads are there for others";
  }
}

TEST_F(DownloadStreamsTest, FailAtAPermanentlyFailedObject) {
  const auto sources = Store({10, 20, 30, 40});
  ASSERT_TRUE(client_.DeleteObject({kBucket, "object 2"}).ok());
  DownloadStream stream = Downloader(client_, {.max_concurrency = 4}).Stream(sources);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 1));
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(testing::FailsWith(stream.Next(), ErrorCode::kNotFound, HasSubstr("gs://bkt/object 2")));
  }
}

// A batch alternates with it on the only thread, so that it has had time to continue.
TEST_F(DownloadStreamsTest, StopReadingAfterAFailure) {
  const auto sources = Store(std::vector<std::size_t>(20, 10));
  const auto others = Store(std::vector<std::size_t>(20, 10));
  ASSERT_TRUE(client_.DeleteObject({kBucket, "object 1"}).ok());
  const Downloader downloader(client_, {.max_concurrency = 1});
  DownloadStream stream = downloader.Stream(sources);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
  ASSERT_TRUE(downloader.Download(others).ok());
  EXPECT_EQ(Reads(), 2 + others.size());
  EXPECT_EQ(testing::ErrorOf(stream.Next()).code, ErrorCode::kNotFound);
}

TEST_F(DownloadStreamsTest, DeliverFailuresIfAsked) {
  const auto sources = Store({10, 20, 30});
  ASSERT_TRUE(client_.DeleteObject({kBucket, "object 1"}).ok());
  DownloadStream stream = Downloader(client_, {.delivers_failures = true}).Stream(sources);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
  const auto failed = stream.Next();
  ASSERT_TRUE(failed.ok() && failed->has_value());
  EXPECT_EQ((*failed)->index, 1U);
  EXPECT_EQ((*failed)->memory, nullptr);
  ASSERT_TRUE((*failed)->error.has_value());
  EXPECT_EQ((*failed)->error->code, ErrorCode::kNotFound);
  EXPECT_THAT((*failed)->error->message, HasSubstr("gs://bkt/object 1"));
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 2));
  ExpectEnd(stream);
}

TEST_F(DownloadStreamsTest, FailAsCompletedAfterEarlierObjects) {
  const auto sources = Store({10, 20, 30, 40, 50});
  ASSERT_TRUE(client_.DeleteObject({kBucket, "object 0"}).ok());
  const Downloader downloader(client_, {.max_concurrency = 1});
  DownloadStream first = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  EXPECT_EQ(testing::ErrorOf(first.Next()).code, ErrorCode::kNotFound);
  std::vector<DownloadSource> reversed(sources.rbegin(), sources.rend());
  DownloadStream last = downloader.Stream(reversed, DeliveryOrder::kAsCompleted);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(last.Next().ok());
  EXPECT_EQ(testing::ErrorOf(last.Next()).code, ErrorCode::kNotFound);
}

TEST_F(DownloadStreamsTest, OutliveTheirDownloaderAndMove) {
  const auto sources = Store({10, 200'000, 30});
  std::optional<Downloader> downloader(std::in_place, client_);
  DownloadStream first = downloader->Stream(sources);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(first, 0));
  downloader.reset();
  DownloadStream stream = std::move(first);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 1));
  stream = Downloader(client_).Stream(sources);
  ASSERT_NO_FATAL_FAILURE(ExpectNext(stream, 0));
}

TEST_F(DownloadStreamsTest, EndAtOnceWithoutObjects) {
  DownloadStream stream = Downloader(client_).Stream({});
  ExpectEnd(stream);
}

}  // namespace
}  // namespace gcsflux
