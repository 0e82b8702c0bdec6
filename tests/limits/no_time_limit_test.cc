// The longest durations of their types: they mean no limit, not an immediate end.

#include "base/process/no_time_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/text/rfc3339.h"
#include "gcsflux/download.h"
#include "http/standstill.h"
#include "retry/backoff.h"
#include "retry/read_pace.h"
#include "support/emulator_process.h"
#include "support/raw_server.h"

namespace gcsflux {
namespace {

using namespace std::chrono;
using internal::InNanoseconds;
using internal::kNoTimeLimit;

const std::vector<milliseconds> kLong = {milliseconds::max(), hours(24) * 365 * 1'000,
                                         duration_cast<milliseconds>(nanoseconds::max()),
                                         duration_cast<milliseconds>(kNoTimeLimit) + 1ms};

TEST(InNanoseconds, NeverOverflows) {
  EXPECT_EQ(InNanoseconds(seconds(3)), seconds(3));
  EXPECT_EQ(InNanoseconds(-seconds(3)), -seconds(3));
  EXPECT_EQ(InNanoseconds(hours(24) * 365 * 99), hours(24) * 365 * 99);
  EXPECT_EQ(InNanoseconds(hours::max()), kNoTimeLimit);
  EXPECT_EQ(InNanoseconds(seconds::max()), kNoTimeLimit);
  EXPECT_EQ(InNanoseconds(nanoseconds::max()), kNoTimeLimit);
  EXPECT_EQ(InNanoseconds(hours::min()), -kNoTimeLimit);
  EXPECT_EQ(InNanoseconds(duration<double>(1e300)), kNoTimeLimit);
  EXPECT_EQ(InNanoseconds(duration<double>(0.5)), milliseconds(500));
  EXPECT_GT(system_clock::now() + kNoTimeLimit, system_clock::now());
  EXPECT_GT(steady_clock::now() + kNoTimeLimit + kNoTimeLimit / 2, steady_clock::now() + kNoTimeLimit);
}

TEST(BackoffDelay, WithoutLimitEndsBeforeADeadlineWithoutLimit) {
  for (const milliseconds delay : kLong) {
    for (const double jitter : {1.0, 0.5, 0.0}) {
      const RetryOptions options{.initial_delay = delay, .max_delay = delay, .jitter = jitter};
      const auto wait = internal::BackoffDelay(options, 1, 0.9);
      EXPECT_GT(wait, hours(24) * 365);
      EXPECT_LT(wait, kNoTimeLimit);
    }
  }
  const RetryOptions steep{.initial_delay = milliseconds(0), .multiplier = 1e300};
  EXPECT_EQ(internal::BackoffDelay(steep, 5, 0.5), nanoseconds(0));
}

TEST(Standstill, NeverEndsWithoutALimit) {
  const auto now = internal::Standstill::Time() + hours(1);
  internal::Standstill standstill(InNanoseconds(seconds::max()), now);
  EXPECT_GT(standstill.Left({}, now + hours(24)), hours(24));
}

TEST(ReadPace, WaitsWithoutLimit) {
  for (const milliseconds stall : kLong) {
    internal::ReadPace pace({.min_stall = stall});
    for (int i = 0; i < 100; ++i) pace.OnFirstByte(milliseconds(1));
    ASSERT_TRUE(pace.FirstBytePatience());
    EXPECT_EQ(*pace.FirstBytePatience(), kNoTimeLimit);
  }
}

TEST(ParseRfc3339, ClampsToTheRangeOfTheClock) {
  using Time = system_clock::time_point;
  EXPECT_EQ(internal::ParseRfc3339("9999-12-31T23:59:59Z"), Time::max());
  EXPECT_EQ(internal::ParseRfc3339("0001-01-01T00:00:00Z"), Time::min());
  EXPECT_EQ(internal::ParseRfc3339("2262-04-11T23:47:15Z"), Time(seconds(9'223'372'035)));
}

// Every duration of a client's options, at each of these lengths.
TEST(ClientWithoutTimeLimits, WorksAndRetries) {
  for (const milliseconds length : kLong) {
    std::atomic<int> requests = 0;
    testing::RawServer server([&](testing::RawServer::Connection& connection) {
      while (!connection.ReadHead().empty()) {
        connection.Send(++requests % 2 == 1 ? "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
                                            : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nx-goog-generation: 1\r\n"
                                              "x-goog-stored-content-length: 2\r\n\r\nok");
      }
    });
    const auto client = Client::Create(
        {.endpoint = server.endpoint(),
         .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = length, .deadline = length}),
         .hedge_min_stall = length,
         .connect_timeout = length,
         .stall_timeout = seconds::max()});
    ASSERT_TRUE(client.ok()) << client.error().message;
    for (int i = 0; i < 30; ++i) {  // More than are needed to learn the usual pace.
      const auto read = client->ReadObject({"bkt", "object"});
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(*read, "ok");
    }
    EXPECT_EQ(requests, 60);
  }
}

TEST(CleanComposites, DeletesNothingForAnInfiniteAge) {
  testing::EmulatorProcess emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "p"});
  ASSERT_TRUE(client.InsertBucket("bkt").ok());
  ASSERT_TRUE(client.InsertObject({"bkt", "a"}, AsBytes("a"), {}).ok());
  const auto composed = client.ComposeObjects({{.name = "a"}}, {"bkt", "dataflux-composed-objects/left"}, {});
  ASSERT_TRUE(composed.ok()) << composed.error().message;
  for (const seconds age : {seconds::max(), seconds(hours(24) * 365 * 1'000)}) {
    const auto cleaned = CleanComposites(client, "bkt", {.older_than = age});
    ASSERT_TRUE(cleaned.ok()) << cleaned.error().message;
    EXPECT_EQ(cleaned->kept, 1U);
    EXPECT_EQ(cleaned->deleted, 0U);
  }
  EXPECT_TRUE(client.GetObject({"bkt", "dataflux-composed-objects/left"}).ok());
}

}  // namespace
}  // namespace gcsflux
