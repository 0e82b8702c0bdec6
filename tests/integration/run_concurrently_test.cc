// Many calls of a client at the same time, on threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "gcsflux/client.h"
#include "support/result.h"

namespace gcsflux {
namespace {

const Client kClient = *Client::Create({.endpoint = "http://127.0.0.1:1", .project = "p"});

TEST(RunConcurrently, MakesEachCallOnceInParallel) {
  constexpr std::size_t kThreads = 4;
  std::latch all(kThreads);  // It ends only if that many calls run at the same time.
  std::mutex mutex;
  std::set<std::size_t> indices;
  std::set<std::thread::id> threads;
  const auto work = [&](std::size_t index, const std::stop_token&) -> Result<void> {
    all.arrive_and_wait();
    const std::scoped_lock lock(mutex);
    EXPECT_TRUE(indices.insert(index).second);
    threads.insert(std::this_thread::get_id());
    return {};
  };
  EXPECT_TRUE(RunConcurrently(kClient, kThreads, kThreads, work));
  EXPECT_EQ(indices.size(), kThreads);
  EXPECT_EQ(*indices.rbegin(), kThreads - 1);
  EXPECT_EQ(threads.size(), kThreads);
}

TEST(RunConcurrently, StopsAtTheFirstFailure) {
  std::atomic<std::size_t> calls = 0;
  const auto work = [&](std::size_t index, const std::stop_token&) -> Result<void> {
    ++calls;
    if (index == 2) return Error{ErrorCode::kNotFound, "the third"};
    return {};
  };
  EXPECT_EQ(testing::ErrorOf(RunConcurrently(kClient, 1'000, 1, work)).code, ErrorCode::kNotFound);
  EXPECT_EQ(calls, 3U);
}

TEST(RunConcurrently, StopsAtTheFirstException) {
  const auto throws = [](std::size_t, const std::stop_token&) -> Result<void> { throw std::runtime_error("why"); };
  const Error error = testing::ErrorOf(RunConcurrently(kClient, 3, 2, throws));
  EXPECT_EQ(error.code, ErrorCode::kLocalIo);
  EXPECT_EQ(error.message, "the caller's work threw: why");
  const auto throws_a_number = [](std::size_t, const std::stop_token&) -> Result<void> { throw 42; };
  EXPECT_EQ(testing::ErrorOf(RunConcurrently(kClient, 3, 2, throws_a_number)).code, ErrorCode::kLocalIo);
}

TEST(RunConcurrently, StopsOnRequest) {
  std::stop_source stop;
  const auto work = [&](std::size_t, const std::stop_token& token) -> Result<void> {
    stop.request_stop();
    EXPECT_TRUE(token.stop_requested());
    return {};
  };
  EXPECT_EQ(testing::ErrorOf(RunConcurrently(kClient, 1'000, 1, work, stop.get_token())).code, ErrorCode::kCancelled);
  EXPECT_TRUE(RunConcurrently(kClient, 0, 4, work));
}

}  // namespace
}  // namespace gcsflux
