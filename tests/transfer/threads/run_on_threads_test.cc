#include "transfer/threads/run_on_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

TEST(RunOnThreads, CallsEachIndexOnce) {
  std::vector<std::atomic<int>> calls(1000);
  const auto done = RunOnThreads(calls.size(), 4, [&](std::size_t i, const std::stop_token&) -> Result<void> {
    ++calls[i];
    return {};
  });
  ASSERT_TRUE(done.ok());
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(RunOnThreads, RunsOneCallPerThread) {
  std::latch together(3);  // Would never open with fewer.
  ASSERT_TRUE(RunOnThreads(3, 3, [&](std::size_t, const std::stop_token&) -> Result<void> {
                together.arrive_and_wait();
                return {};
              }).ok());
}

TEST(RunOnThreads, ReturnsTheFirstFailureAndStopsTheRest) {
  std::atomic<int> begun = 0;
  const auto done = RunOnThreads(1000, 2, [&](std::size_t i, const std::stop_token& stop) -> Result<void> {
    ++begun;
    if (i == 1) return Error{ErrorCode::kNotFound, "one"};
    while (!stop.stop_requested()) std::this_thread::yield();  // Ends only because index 1 failed.
    return Error{ErrorCode::kCancelled, "stopped"};
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "one");
  EXPECT_LE(begun, 3);
}

TEST(RunOnThreads, IsCancelledByTheCallersToken) {
  std::stop_source stop;
  stop.request_stop();
  const auto done = RunOnThreads(
      10, 2, [](std::size_t, const std::stop_token&) -> Result<void> { return {}; }, stop.get_token());
  EXPECT_TRUE(testing::FailsWith(done, ErrorCode::kCancelled));
}

}  // namespace
}  // namespace gcsflux::internal
