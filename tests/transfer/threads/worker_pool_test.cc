#include "transfer/threads/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace gcsflux::internal {
namespace {

TEST(WorkerPool, CallsEachIndexOnce) {
  WorkerPool pool(4);
  std::vector<std::atomic<int>> calls(1000);
  const auto done = pool.Run(calls.size(), [&](std::size_t i, const std::stop_token&) -> Result<void> {
    ++calls[i];
    return {};
  });
  ASSERT_TRUE(done.ok());
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(WorkerPool, RunsAsManyAtATimeAsItHasThreads) {
  WorkerPool pool(3);
  std::latch together(3);  // Would never open with fewer.
  ASSERT_TRUE(pool.Run(3,
                       [&](std::size_t, const std::stop_token&) -> Result<void> {
                         together.arrive_and_wait();
                         return {};
                       })
                  .ok());
}

TEST(WorkerPool, ReturnsTheFirstFailureAndStopsTheRest) {
  WorkerPool pool(2);
  std::atomic<int> begun = 0;
  const auto done = pool.Run(1000, [&](std::size_t i, const std::stop_token& stop) -> Result<void> {
    ++begun;
    if (i == 1) return Error{ErrorCode::kNotFound, "one"};
    while (!stop.stop_requested()) std::this_thread::yield();  // Ends only because index 1 failed.
    return Error{ErrorCode::kCancelled, "stopped"};
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "one");
  EXPECT_LE(begun, 3);
}

TEST(WorkerPool, IsCancelledByTheCallersToken) {
  WorkerPool pool(2);
  std::stop_source stop;
  stop.request_stop();
  const auto done = pool.Run(
      10, [](std::size_t, const std::stop_token&) -> Result<void> { return {}; }, stop.get_token());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
}

TEST(WorkerPool, ServesManyCallersAtOnce) {
  WorkerPool pool(4);
  std::atomic<int> calls = 0;
  {
    std::vector<std::jthread> callers;
    callers.reserve(8);
    for (int c = 0; c < 8; ++c) {
      callers.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
          EXPECT_TRUE(pool.Run(7,
                               [&](std::size_t, const std::stop_token&) -> Result<void> {
                                 ++calls;
                                 return {};
                               })
                          .ok());
        }
      });
    }
  }
  EXPECT_EQ(calls, 8 * 50 * 7);
}

}  // namespace
}  // namespace gcsflux::internal
