// Throttled requests against the emulator's quotas: many threads of one client, more than the quota allows.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/load_fault.h"

namespace gcsflux {
namespace {

struct Outcome {
  int succeeded = 0;
  int wrong = 0;
  emulator::QuotaCounters counters = {};

  [[nodiscard]] double RefusedPerAdmitted() const {
    return static_cast<double>(counters.refused_reads) / static_cast<double>(counters.admitted);
  }
};

class ThrottlingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Client client = MakeClient(/*pace_throttled=*/true);
    ASSERT_TRUE(client.InsertBucket("my-bucket"));
    ASSERT_TRUE(client.InsertObject({"my-bucket", "object"}, AsBytes("bytes")));
    emulator_.quotas().Set({.reads_per_second = 400});
  }

  [[nodiscard]] Client MakeClient(bool pace_throttled, const RetryOptions& retry = {}) const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All(retry),
                            .pace_throttled = pace_throttled});
  }

  // 24 threads make 600 reads in all: the quota of 1.5 seconds.
  Outcome Read(bool pace_throttled, const RetryOptions& retry = {}) {
    const Client client = MakeClient(pace_throttled, retry);
    std::atomic<int> left = 600;
    std::atomic<int> succeeded = 0;
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      threads.reserve(24);
      for (int i = 0; i < 24; ++i) {
        threads.emplace_back([&] {
          while (left.fetch_sub(1) > 0) {
            const auto bytes = client.ReadObject({"my-bucket", "object"});
            succeeded += bytes.ok() ? 1 : 0;
            wrong += bytes.ok() && *bytes != "bytes" ? 1 : 0;
          }
        });
      }
    }
    return {succeeded, wrong, emulator_.quotas().counters()};
  }

  emulator::Emulator emulator_;
};

TEST_F(ThrottlingTest, GateLosesFewRequestsAndNoCall) {
  const Outcome outcome = Read(/*pace_throttled=*/true);
  EXPECT_EQ(outcome.succeeded, 600);
  EXPECT_EQ(outcome.wrong, 0);
  EXPECT_GE(outcome.counters.refused_reads, 4U) << "nothing was throttled";
  EXPECT_LT(outcome.RefusedPerAdmitted(), 0.3);
}

TEST_F(ThrottlingTest, ShortWaitsFloodTheService) {
  constexpr std::chrono::milliseconds kSoon(10);
  const Outcome outcome = Read(/*pace_throttled=*/false, {.initial_delay = kSoon, .multiplier = 1, .max_delay = kSoon});
  EXPECT_EQ(outcome.succeeded, 600);
  EXPECT_GT(outcome.RefusedPerAdmitted(), 0.6) << "the baseline of the gate";
}

TEST_F(ThrottlingTest, LastAttemptNamesTheRemedy) {
  emulator_.quotas().Set({.reads_per_second = 1});
  const Client client =
      *Client::Create({.endpoint = emulator_.endpoint(), .retry = RetryPolicies::All({.max_attempts = 1})});
  Result<std::string> read = client.ReadObject({"my-bucket", "object"});
  for (int i = 0; i < 10 && read; ++i) read = client.ReadObject({"my-bucket", "object"});
  ASSERT_TRUE(testing::FailsWith(read, ErrorCode::kRateLimited));
  EXPECT_NE(read.error().message.find("warm the bucket up"), std::string::npos) << read.error().message;
}

// Whether the gate for writes paces requests after eight answers with this message.
bool IsEngagedAfterEight(emulator::Emulator& emulator, const std::string& words) {
  testing::LoadFault(emulator, "throttled", {.operation = "storage.objects.insert"},
                     {.type = "status",
                      .status = 429,
                      .body = R"({"error":{"code":429,"message":")" + words + R"("}})",
                      .content_type = "application/json"},
                     8);
  const RetryOptions soon{.initial_delay = std::chrono::milliseconds(1), .max_delay = std::chrono::milliseconds(2)};
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .retry = RetryPolicies::All(soon)});
  const auto stored =
      client.InsertObject({"my-bucket", "new"}, AsBytes("bytes"), {.preconditions = {.if_generation_match = 0}});
  EXPECT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(client.DeleteObject({"my-bucket", "new"}).ok());
  EXPECT_EQ(emulator.faults().Fired("throttled"), 8U);
  EXPECT_EQ(client.counters().throttled, 8U);
  return client.flow_control().front().is_engaged;
}

TEST_F(ThrottlingTest, LimitOfASingleObjectDoesNotEngageTheGate) {
  EXPECT_TRUE(IsEngagedAfterEight(emulator_, "Too many Requests"));
  EXPECT_FALSE(IsEngagedAfterEight(
      emulator_,
      "The object my-bucket/new exceeded the rate limit for object mutation operations (create, update, and delete)."));
}

TEST_F(ThrottlingTest, RetryAfterIsALowerBound) {
  emulator_.quotas().Set({.reads_per_second = 1, .retry_after_s = 3600});
  const Client client = *Client::Create({.endpoint = emulator_.endpoint(), .pace_throttled = false});
  Result<std::string> read = client.ReadObject({"my-bucket", "object"});
  for (int i = 0; i < 10 && read; ++i) read = client.ReadObject({"my-bucket", "object"});
  ASSERT_FALSE(read.ok()) << "an hour is beyond the deadline: it is not waited for";
  EXPECT_EQ(read.error().retry_after, std::chrono::seconds(3600));
}

}  // namespace
}  // namespace gcsflux
