// Many concurrent streams and batches of one client, which start, stop and are abandoned at random while reads fail:
// delivered bytes are right, no other stream is delayed, and nothing is kept.
#include <random>
#include <thread>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/counted_memory.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using testing::CountedMemory;
using testing::TextOf;

class DownloadRacesTest : public testing::StoredObjects {
 protected:
  void SetUp() override {
    std::mt19937 random(1);
    std::vector<std::size_t> sizes(30);
    for (std::size_t& size : sizes) size = random() % 40'000;
    sources_ = Store(sizes);
  }

  // Reads a stream to a random point, where it is abandoned or stopped.
  void ReadSome(const Downloader& downloader, std::mt19937& random) {
    std::stop_source stop;
    DownloadStream stream = downloader.Stream(
        sources_, random() % 2 == 0 ? DeliveryOrder::kInOrder : DeliveryOrder::kAsCompleted, stop.get_token());
    const std::size_t reads = random() % (sources_.size() + 2);
    for (std::size_t i = 0; i < reads; ++i) {
      const auto object = stream.Next();
      ASSERT_TRUE(object.ok()) << object.error().message;
      ASSERT_EQ(object->has_value(), i < sources_.size());
      ASSERT_TRUE(!*object || TextOf((*object)->bytes) == contents_[(*object)->index]);
    }
    if (random() % 2 == 0) return;
    stop.request_stop();
    const auto stopped = stream.Next();
    ASSERT_TRUE(reads >= sources_.size() || !stopped.ok());
  }

  std::vector<DownloadSource> sources_;
};

TEST_F(DownloadRacesTest, AbandonedStreamsBlockNoOther) {
  emulator_.faults().Load({.seed = 3,
                           .rules = {{.name = "busy",
                                      .match = {.operation = "storage.objects.get", .probability = 0.05},
                                      .action = {.type = "status", .status = 503}},
                                     {.name = "cut",
                                      .match = {.operation = "storage.objects.get", .probability = 0.05},
                                      .action = {.type = "cut", .after_bytes = 5'000}}}});
  const Client client = MakeClient(60'000);
  CountedMemory memory;
  const Downloader one(client, {.max_concurrency = 3, .range_bytes = 9'000, .allocator = memory.allocator()});
  const Downloader other(client, {.max_concurrency = 2, .allocator = memory.allocator()});
  {
    std::vector<std::jthread> consumers;
    for (unsigned c = 0; c < 6; ++c) {
      consumers.emplace_back([&, c] {
        std::mt19937 random(c);
        for (int round = 0; round < 6; ++round) {
          ASSERT_NO_FATAL_FAILURE(ReadSome(c % 2 == 0 ? one : other, random));
          ASSERT_TRUE(c != 0 || one.Download(sources_).ok());
        }
      });
    }
  }
  EXPECT_GE(emulator_.faults().Fired("busy"), 1U);
  EXPECT_GE(emulator_.faults().Fired("cut"), 1U);
  EXPECT_EQ(memory.live(), 0U);
  std::mt19937 random(7);
  ReadSome(other, random);
}

TEST_F(DownloadRacesTest, LimitRequestsOfAllCallersToMaxConcurrency) {
  const Client client = *Client::Create({.endpoint = emulator_.endpoint(), .hedge_budget = 0});
  const Downloader downloader(client, {.max_concurrency = 3, .range_bytes = 5'000});
  {
    std::vector<std::jthread> callers;
    callers.reserve(4);
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&] {
        ASSERT_TRUE(downloader.Download(sources_).ok());
        DownloadStream stream = downloader.Stream(sources_);
        while (true) {
          const auto object = stream.Next();
          ASSERT_TRUE(object.ok()) << object.error().message;
          if (!*object) break;
        }
      });
    }
  }
  std::vector<emulator::RequestRecord> reads;
  for (const auto& request : emulator_.journal()) {
    if (request.operation == "storage.objects.get") reads.push_back(request);
  }
  EXPECT_GE(reads.size(), 8 * sources_.size());
  EXPECT_LE(emulator::FindMostInFlight(reads).requests, 3U);
}

// connection_count_test.cc tests the estimate: here it has to reach the service, and not to be exceeded.
TEST_F(DownloadRacesTest, RaiseRequestsInFlightToMaxConcurrency) {
  emulator_.shaping().Set({.read_first_byte_ms = 400});  // Longer than sending 100 requests takes under a sanitizer.
  const Client client = *Client::Create({.endpoint = emulator_.endpoint(), .hedge_budget = 0});
  std::vector<DownloadSource> many;
  while (many.size() < 300) many.insert(many.end(), sources_.begin(), sources_.end());
  const Downloader downloader(client, {.max_concurrency = 100, .adapts_concurrency = true});
  ASSERT_TRUE(downloader.Download(many).ok());
  std::vector<emulator::RequestRecord> reads;
  for (const auto& request : emulator_.journal()) {
    if (request.operation == "storage.objects.get") reads.push_back(request);
  }
  EXPECT_GT(emulator::FindMostInFlight(reads).requests, 64U);
  EXPECT_LE(emulator::FindMostInFlight(reads).requests, 100U);
}

}  // namespace
}  // namespace gcsflux
