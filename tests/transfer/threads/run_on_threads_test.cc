#include "transfer/threads/run_on_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

const Client kClient = *Client::Create({.endpoint = "http://127.0.0.1:1", .project = "p"});

TEST(RunOnThreads, CallsEachIndexOnce) {
  std::vector<std::atomic<int>> calls(1000);
  const auto done = RunOnThreads(kClient, calls.size(), 4, [&](std::size_t i, const std::stop_token&) -> Result<void> {
    ++calls[i];
    return {};
  });
  ASSERT_TRUE(done.ok());
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST(RunOnThreads, RunsOneCallPerThread) {
  std::latch together(3);  // Would never open with fewer.
  ASSERT_TRUE(RunOnThreads(kClient, 3, 3, [&](std::size_t, const std::stop_token&) -> Result<void> {
                together.arrive_and_wait();
                return {};
              }).ok());
}

TEST(RunOnThreads, ReturnsTheFirstFailureAndStopsTheRest) {
  std::atomic<int> begun = 0;
  const auto done = RunOnThreads(kClient, 1000, 2, [&](std::size_t i, const std::stop_token& stop) -> Result<void> {
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
      kClient, 10, 2, [](std::size_t, const std::stop_token&) -> Result<void> { return {}; }, stop.get_token());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
}

TEST(RunOnThreads, StopsIfItsWorkRequestsIt) {
  std::stop_source stop;
  const auto work = [&](std::size_t, const std::stop_token& token) -> Result<void> {
    stop.request_stop();
    EXPECT_TRUE(token.stop_requested());
    return {};
  };
  EXPECT_EQ(testing::ErrorOf(RunOnThreads(kClient, 1'000, 1, work, stop.get_token())).code, ErrorCode::kCancelled);
  EXPECT_TRUE(RunOnThreads(kClient, 0, 4, work).ok());
}

TEST(RunOnThreads, StopsAtTheFirstException) {
  const auto throws = [](std::size_t, const std::stop_token&) -> Result<void> { throw std::runtime_error("why"); };
  const Error error = testing::ErrorOf(RunOnThreads(kClient, 3, 2, throws));
  EXPECT_EQ(error.code, ErrorCode::kLocalIo);
  EXPECT_EQ(error.message, "why");
}

}  // namespace
}  // namespace gcsflux::internal
