#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/buckets/bucket.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {
namespace {

constexpr int kThreads = 8;

TimeSource StandingClock() {
  return [] { return Time(std::chrono::seconds(1'800'000'000)); };
}

NewObject Named(const std::string& name, const std::string& content) {
  return {.name = name, .body = std::make_shared<const Body>(Rope(content))};
}

// Runs `work(i)` on every thread in parallel.
template <class Work>
void Race(const Work& work) {
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(BucketRace, OneConditionalWriteWins) {
  Bucket bucket({.name = "bucket"}, StandingClock());
  for (int round = 0; round < 200; ++round) {
    const std::string name = std::to_string(round);
    std::atomic<int> winners = 0;
    Race([&](int i) {
      if (bucket.InsertObject(Named(name, std::to_string(i)), {.if_generation_match = 0})) ++winners;
    });
    ASSERT_EQ(winners, 1);
  }
}

TEST(BucketRace, LosesNoPatch) {
  Bucket bucket({.name = "bucket"}, StandingClock());
  ASSERT_TRUE(bucket.InsertObject(Named("object", "content"), {}));
  const AttributesChange rival = [](ObjectAttributes& a) { a.metadata["rival"] = "here"; };
  int calls = 0;
  const auto patched = bucket.PatchObject({.name = "object"}, [&](ObjectAttributes& a) {
    // Between the state that the patch was made from and its commit.
    if (++calls == 1) {
      EXPECT_TRUE(bucket.PatchObject({.name = "object"}, rival));
    }
    a.metadata["mine"] = "here";
  });
  ASSERT_TRUE(patched);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ((*patched)->metageneration, 3);
  EXPECT_EQ((*patched)->attributes->metadata.size(), 2U);
}

TEST(BucketRace, StoresNothingInADeletedBucket) {
  for (int round = 0; round < 200; ++round) {
    Store store(StandingClock());
    ASSERT_TRUE(store.InsertBucket({.name = "bucket"}));
    const auto bucket = store.FindBucket("bucket");
    ASSERT_TRUE(bucket);
    std::atomic<int> stored = 0;
    std::atomic<int> deleted = 0;
    Race([&](int i) {
      if (i % 2 == 0 && store.DeleteBucket("bucket")) ++deleted;
      if (i % 2 == 1 && (*bucket)->InsertObject(Named(std::to_string(i), ""), {})) ++stored;
    });
    ASSERT_TRUE(deleted == 0 || stored == 0) << deleted << " deleted, " << stored << " stored";
    ASSERT_TRUE(deleted == 1 || stored == kThreads / 2) << deleted << " deleted, " << stored << " stored";
  }
}

}  // namespace
}  // namespace gcsflux::emulator
