// Many requests in flight on one event loop: under faults, with blocking code of callers, and with each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <latch>
#include <map>
#include <mutex>
#include <random>
#include <semaphore>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/events.h"
#include "gcsflux/listing.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using testing::TextOf;

class EventLoopDownloads : public testing::StoredObjects {
 protected:
  EventLoopDownloads() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;  // Both ends of each connection are this process's.
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }

  // With a listener, which counts requests, none is hedged.
  [[nodiscard]] Client OneLoop(std::shared_ptr<EventListener> listener = nullptr) const {
    const double hedge_budget = listener ? 0 : ClientOptions().hedge_budget;
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                         .max_delay = std::chrono::milliseconds(4)}),
                            .hedge_budget = hedge_budget,
                            .io_threads = 1,
                            .event_listener = std::move(listener)});
  }

  static std::vector<DownloadSource> Repeated(const std::vector<DownloadSource>& sources, std::size_t times) {
    std::vector<DownloadSource> all;
    for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), sources.begin(), sources.end());
    return all;
  }

  std::vector<DownloadSource> StoreMany(std::size_t count, std::size_t bytes) {
    return Store(std::vector<std::size_t>(count, bytes));
  }

  // Every kind of transient fault, in about one read of six.
  void LoadFaults(std::uint64_t seed) {
    const auto rule = [](std::string name, emulator::FaultAction action, double probability) {
      return emulator::FaultRule{.name = std::move(name),
                                 .match = {.operation = "storage.objects.get", .probability = probability},
                                 .action = std::move(action)};
    };
    emulator_.faults().Load(
        {.seed = seed,
         .rules = {rule("busy", {.type = "status", .status = 503}, 0.03),
                   rule("throttled", {.type = "status", .status = 429}, 0.002), rule("reset", {.type = "reset"}, 0.03),
                   rule("cut at once", {.type = "cut", .after_bytes = 0}, 0.03),
                   rule("cut", {.type = "cut", .after_bytes = 3'000, .resets = true}, 0.03),
                   rule("false length", {.type = "falseLength", .length_delta = -7}, 0.03),
                   rule("flip", {.type = "corrupt", .at_byte = 100}, 0.02)}});
  }
  std::map<std::string, std::uint64_t> Fired() {
    std::map<std::string, std::uint64_t> fired;
    for (const auto& count : emulator_.faults().Counts()) fired[count.rule] += count.fired;
    return fired;
  }
};

// The objects that a stream delivers until it ends, or until this many have arrived; an error fails the test.
std::size_t Consume(DownloadStream& stream, const std::vector<std::string>& contents, std::size_t most) {
  std::set<std::size_t> came;
  while (came.size() < most) {
    const auto next = stream.Next();
    if (!next) {
      ADD_FAILURE() << next.error().message;
      return came.size();
    }
    if (!*next) break;
    EXPECT_TRUE(came.insert((*next)->index).second);
    if ((*next)->error) {  // Corrupted twice, at the same place.
      EXPECT_EQ((*next)->error->code, ErrorCode::kCorrupted) << (*next)->error->message;
    } else {
      EXPECT_TRUE(TextOf((*next)->bytes) == contents[(*next)->index]);
    }
  }
  return came.size();
}

TEST_F(EventLoopDownloads, AreWholeUnderFaultsWithThousandsInFlight) {
  const auto sources = StoreMany(2000, 8'000);
  LoadFaults(7);
  const Downloader downloader(OneLoop(), {.max_concurrency = 1000, .range_bytes = 4'000, .delivers_failures = true});
  DownloadStream whole = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  EXPECT_EQ(Consume(whole, contents_, sources.size()), sources.size());
  for (const auto& [name, fired] : Fired()) EXPECT_GE(fired, 1U) << name;
}

TEST_F(EventLoopDownloads, AreCancellableAnywhere) {
  const auto sources = StoreMany(600, 8'000);
  LoadFaults(8);
  std::mt19937 random(8);
  const Downloader downloader(OneLoop(), {.max_concurrency = 300, .delivers_failures = true});
  for (int round = 0; round < 12; ++round) {
    std::stop_source stop;
    const std::size_t until = random() % 300;
    DownloadStream stream = downloader.Stream(sources, DeliveryOrder::kAsCompleted, stop.get_token());
    EXPECT_EQ(Consume(stream, contents_, until), until);
    if (round % 2 == 0) continue;  // It is destroyed in flight.
    stop.request_stop();
    EXPECT_TRUE(testing::FailsWith(stream.Next(), ErrorCode::kCancelled));
  }
  emulator_.faults().Clear();
  DownloadStream after = downloader.Stream(sources);
  EXPECT_EQ(Consume(after, contents_, sources.size()), sources.size());
}

TEST_F(EventLoopDownloads, EndAtOnceWhileTheServiceIsSilent) {
  const auto sources = StoreMany(500, 100);
  Stall({});
  const Downloader downloader(OneLoop(), {.max_concurrency = 500});
  std::stop_source stop;
  DownloadStream stream = downloader.Stream(sources, DeliveryOrder::kInOrder, stop.get_token());
  std::jthread stopper([&] {
    while (Fired()["stall"] < sources.size() / 2) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_TRUE(testing::FailsWith(stream.Next(), ErrorCode::kCancelled));
}

// An allocator that would never return if the only loop waited for it: it waits for a later object.
TEST_F(EventLoopDownloads, ContinueWhileAnAllocatorBlocks) {
  const auto sources = StoreMany(20, 5'000);
  std::binary_semaphore came(0);
  std::atomic<int> calls = 0;
  const Downloader downloader(OneLoop(), {.max_concurrency = 4, .allocator = [&](std::size_t bytes) {
                                            if (++calls == 1) came.acquire();
                                            return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
                                          }});
  DownloadStream stream = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  const auto first = stream.Next();
  ASSERT_TRUE(first.ok() && first->has_value());
  came.release();
  EXPECT_EQ(Consume(stream, contents_, sources.size()), sources.size() - 1);
}

TEST_F(EventLoopDownloads, ContinueWhileAListenerBlocks) {
  class Blocking : public EventListener {
   public:
    void OnEvent(const Event& event) override {
      if (event.kind != EventKind::kRequest) return;
      if (++requests == 1) let_go.acquire();
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    std::atomic<int> requests = 0;
    std::binary_semaphore let_go{0};
    std::mutex mutex;
    std::set<std::thread::id> threads;
  };
  const auto listener = std::make_shared<Blocking>();
  const auto sources = StoreMany(40, 5'000);
  const Downloader downloader(OneLoop(listener), {.max_concurrency = 8});
  DownloadStream stream = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  EXPECT_EQ(Consume(stream, contents_, sources.size() - 1), sources.size() - 1);
  listener->let_go.release();
  const auto last = stream.Next();
  ASSERT_TRUE(last.ok() && last->has_value());
  EXPECT_EQ(listener->requests, 40);
}

// Listeners that call the client wait for its loop, so the loop must not run them.
TEST_F(EventLoopDownloads, ContinueWhileAListenerCallsTheClient) {
  class Calling : public EventListener {
   public:
    void OnEvent(const Event& event) override {
      if (event.kind != EventKind::kRetry) return;
      const std::jthread other([this] { Download(); });
    }
    void Download() {
      if (downloader == nullptr || is_calling.exchange(true)) return;
      EXPECT_TRUE(downloader->Download(sources).ok());
      ++calls;
    }
    const Downloader* downloader = nullptr;
    std::vector<DownloadSource> sources;
    std::atomic<bool> is_calling = false;
    std::atomic<int> calls = 0;
  };
  const auto listener = std::make_shared<Calling>();
  const auto sources = StoreMany(8, 5'000);
  const Downloader downloader(OneLoop(listener), {.max_concurrency = 8});
  listener->sources = sources;
  listener->downloader = &downloader;
  testing::LoadFault(emulator_, "busy", {.operation = "storage.objects.get"}, {.type = "status", .status = 503}, 1);
  EXPECT_TRUE(downloader.Download(sources).ok());
  EXPECT_EQ(listener->calls, 1);
}

/// Counts the requests of a large download that end between the first and the last one of a small download, in the
/// order in which the loop ends them.
class Turns : public EventListener {
 public:
  explicit Turns(const std::vector<DownloadSource>& few) {
    for (const DownloadSource& source : few) few_.insert(ToUri(source.object));
  }
  void OnEvent(const Event& event) override {
    if (event.kind != EventKind::kRequest) return;
    const std::scoped_lock lock(mutex_);
    if (!few_.contains(event.subject)) {
      ++large_;
    } else {
      if (small_++ == 0) large_at_first_ = large_;
      large_at_last_ = large_;
    }
  }
  [[nodiscard]] std::size_t of_small() const { return small_; }
  [[nodiscard]] std::size_t of_large() const { return large_; }
  [[nodiscard]] std::size_t meanwhile() const { return large_at_last_ - large_at_first_; }

 private:
  std::set<std::string, std::less<>> few_;
  std::mutex mutex_;  // Guards the members below.
  std::size_t small_ = 0;
  std::size_t large_ = 0;
  std::size_t large_at_first_ = 0;
  std::size_t large_at_last_ = 0;
};

// A download of many objects runs on the same loop at full speed. Each of the small one's requests waits for about one
// of each that the large one has in flight.
TEST_F(EventLoopDownloads, ServeSmallBatchesBesideLargeOnes) {
  constexpr std::size_t kConcurrency = 64;
  constexpr std::size_t kFew = 8;
  const auto stored = StoreMany(50 + kFew, 2'000);
  const std::vector<DownloadSource> few(stored.begin(), stored.begin() + kFew);
  const auto sources = Repeated({stored.begin() + kFew, stored.end()}, 400);  // 20,000
  const auto turns = std::make_shared<Turns>(few);
  const Client client = OneLoop(turns);
  const Downloader large(client, {.max_concurrency = kConcurrency});
  const Downloader small(client, {.max_concurrency = 1});
  DownloadStream many = large.Stream(sources, DeliveryOrder::kAsCompleted);
  std::atomic<std::size_t> came = 0;
  std::latch is_under_way(1);
  std::jthread consumer([&] {
    for (auto next = many.Next(); next && *next; next = many.Next()) {
      if (++came == 10 * kConcurrency) is_under_way.count_down();
    }
  });
  is_under_way.wait();
  EXPECT_TRUE(small.Download(few).ok());
  consumer.join();
  EXPECT_EQ(came, sources.size());
  EXPECT_EQ(turns->of_small(), kFew);
  EXPECT_EQ(turns->of_large(), sources.size());
  EXPECT_LT(turns->meanwhile(), 4 * (kFew - 1) * kConcurrency) << "of the large download's, while the small one ran";
}

TEST_F(EventLoopDownloads, RefuseAnInvalidNumberOfLoops) {
  for (const int wrong : {-1, 0, kMaxIoThreads + 1, 10'000}) {
    const auto client = Client::Create({.endpoint = emulator_.endpoint(), .io_threads = wrong});
    ASSERT_TRUE(testing::FailsWith(client, ErrorCode::kInvalidArgument)) << wrong;
    EXPECT_NE(client.error().message.find("io_threads must be from 1 to 64"), std::string::npos);
  }
}

}  // namespace
}  // namespace gcsflux
