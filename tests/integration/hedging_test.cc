// If a read stalls without end, a second request answers it. No other read is sent twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "support/load_fault.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kStallAt = 1'000'000;

// The emulator's clock stands still: a stall there never ends by itself.
class HedgingTest : public ::testing::Test {
 protected:
  static constexpr auto kBucket = "my-bucket";

  static std::string Content() {
    std::string bytes(3'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
    return bytes;
  }

  HedgingTest() {
    emulator_.clock().Freeze();
    Use({.endpoint = emulator_.endpoint(), .project = "p"});
    EXPECT_TRUE(client_->InsertBucket(kBucket));
    EXPECT_TRUE(client_->InsertObject({kBucket, "large"}, AsBytes(content_)));
    EXPECT_TRUE(client_->InsertObject({kBucket, "small"}, AsBytes("bytes")));
  }

  void Use(ClientOptions options) {
    client_ = *Client::Create(std::move(options));
    before_ = {};
  }

  // Teaches the client the usual time of reads, and fills the hedge budget. A busy machine may already use some of it.
  void WarmUp() {
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(client_->ReadObject({kBucket, "large"}));
      ASSERT_TRUE(client_->GetObject({kBucket, "small"}));
      ASSERT_TRUE(client_->ListObjects({kBucket}));
    }
    before_ = client_->counters();
  }

  void StallOnce(const std::string& operation, std::uint64_t after_bytes) {
    testing::LoadFault(emulator_, "stall", {.operation = operation},
                       {.type = "stall", .after_bytes = after_bytes, .duration = 1h}, 1);
  }

  void ExpectHedged() {
    EXPECT_EQ(emulator_.faults().Fired("stall"), 1U);
    const Counters counters = client_->counters();
    EXPECT_GE(counters.stalls, before_.stalls + 1);
    EXPECT_GE(counters.hedges, before_.hedges + 1);
    EXPECT_GE(counters.hedges_won, before_.hedges_won + 1);
    EXPECT_EQ(counters.retries, 0U);
  }

  // The stalled one, and its replacement.
  std::pair<emulator::RequestRecord, emulator::RequestRecord> StalledAndWinner() {
    const auto journal = emulator_.journal();
    const auto stalled = std::find_if(journal.begin(), journal.end(), [&](const auto& request) {
      return request.invocation_id == journal.back().invocation_id;
    });
    EXPECT_EQ(stalled->attempt, 1);
    EXPECT_LT(stalled->attempt, journal.back().attempt) << "both are of one call";
    return {*stalled, journal.back()};
  }

  const std::string content_ = Content();
  Counters before_;
  emulator::Emulator emulator_;
  std::optional<Client> client_;
};

TEST_F(HedgingTest, HedgesAReadWithoutAFirstByte) {
  WarmUp();
  StallOnce("storage.objects.get", 0);
  const auto read = client_->ReadObject({kBucket, "large"});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(*read == content_);
  ExpectHedged();
  EXPECT_EQ(StalledAndWinner().second.bytes_out, content_.size());
}

TEST_F(HedgingTest, HedgesAReadThatStopsInItsBody) {
  WarmUp();
  StallOnce("storage.objects.get", kStallAt);
  const auto read = client_->ReadObject({kBucket, "large"});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(*read == content_);
  ExpectHedged();
  const auto [stalled, winner] = StalledAndWinner();
  EXPECT_EQ(stalled.bytes_out, kStallAt);
  EXPECT_EQ(winner.offset, kStallAt);
  EXPECT_EQ(winner.bytes_out, content_.size() - kStallAt) << "no byte was fetched twice";
}

TEST_F(HedgingTest, HedgesMetadataAndLists) {
  WarmUp();
  StallOnce("storage.objects.get", 0);
  const auto found = client_->GetObject({kBucket, "small"});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->size, 5U);
  ExpectHedged();
}

TEST_F(HedgingTest, RequestsAStoppedListAgainWhole) {
  WarmUp();
  StallOnce("storage.objects.list", 100);
  const auto page = client_->ListObjects({kBucket});
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(page->objects.size(), 2U);
  ExpectHedged();
}

TEST_F(HedgingTest, SendsWritesOnce) {
  WarmUp();
  StallOnce("storage.objects.insert", 0);
  std::jthread writer([&] {
    const auto stored =
        client_->InsertObject({kBucket, "new"}, AsBytes("x"), {.preconditions = {.if_generation_match = 0}});
    EXPECT_TRUE(stored.ok()) << stored.error().message;
  });
  emulator_.clock().AwaitWaiters(1);
  emulator_.clock().Advance(1h);
  writer.join();
  EXPECT_EQ(emulator_.faults().Fired("stall"), 1U);
  EXPECT_EQ(client_->counters().hedges, before_.hedges);
}

TEST_F(HedgingTest, SendsNothingTwiceIfSwitchedOff) {
  Use({.endpoint = emulator_.endpoint(), .project = "p", .hedge_budget = 0});
  WarmUp();
  StallOnce("storage.objects.get", kStallAt);
  std::jthread reader([&] {
    const auto read = client_->ReadObject({kBucket, "large"});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(*read == content_);
  });
  emulator_.clock().AwaitWaiters(1);
  emulator_.clock().Advance(1h);
  reader.join();
  EXPECT_EQ(emulator_.faults().Fired("stall"), 1U);
  EXPECT_EQ(client_->counters().stalls, 0U);
  EXPECT_EQ(client_->counters().hedges, 0U);
  EXPECT_EQ(client_->counters().requests, 3U * 30 + 1);
}

TEST_F(HedgingTest, StaysWithinTheBudgetForManyStalls) {
  WarmUp();  // 90 requests pay for 4.
  testing::LoadFault(emulator_, "stall", {.operation = "storage.objects.get"}, {.type = "stall", .duration = 1h}, 16);
  std::vector<std::jthread> readers;
  readers.reserve(16);
  for (int i = 0; i < 16; ++i) {
    readers.emplace_back([&] {
      const auto read = client_->ReadObject({kBucket, "large"});
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_TRUE(*read == content_);
    });
  }
  // Each stalled one waits at the emulator, even if the client abandoned it; 106 requests allow at most 5.
  emulator_.clock().AwaitWaiters(16);
  while (client_->counters().stalls < before_.stalls + 11) std::this_thread::yield();
  emulator_.clock().Advance(1h);
  readers.clear();
  EXPECT_EQ(emulator_.faults().Fired("stall"), 16U);
  EXPECT_LE(client_->counters().hedges, 5U);
  EXPECT_GE(client_->counters().hedges, before_.hedges + 1);
}

TEST_F(HedgingTest, SendsAThirdRequestAfterARefusedSecond) {
  WarmUp();
  emulator_.faults().Load({.rules = {{.name = "stall",
                                      .match = {.operation = "storage.objects.get"},
                                      .action = {.type = "stall", .duration = 1h},
                                      .limits = {.count = 1}},
                                     {.name = "refuse",
                                      .match = {.operation = "storage.objects.get", .attempt = 2},
                                      .action = {.type = "status", .status = 503},
                                      .limits = {.count = 1}}}});
  const auto read = client_->ReadObject({kBucket, "large"});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(*read == content_);
  ExpectHedged();
  EXPECT_EQ(emulator_.faults().Fired("refuse"), 1U);
  EXPECT_GE(client_->counters().hedges, before_.hedges + 2);
}

TEST_F(HedgingTest, CountsAThrottledSecondRequestAtTheGate) {
  WarmUp();
  emulator_.faults().Load(
      {.rules = {{.name = "stall",
                  .match = {.operation = "storage.objects.get"},
                  .action = {.type = "stall", .duration = 1h},
                  .limits = {.count = 1}},
                 {.name = "throttle",
                  .match = {.operation = "storage.objects.get", .attempt = 2},
                  .action = {.type = "status",
                             .status = 403,
                             .body = R"({"error":{"code":403,"errors":[{"reason":"rateLimitExceeded"}]}})"},
                  .limits = {.count = 1}}}});
  const auto read = client_->ReadObject({kBucket, "large"});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(*read == content_);
  ExpectHedged();
  EXPECT_EQ(emulator_.faults().Fired("throttle"), 1U);
  EXPECT_EQ(client_->counters().throttled, 1U);
  const auto gates = client_->flow_control();
  const auto reads = std::find_if(gates.begin(), gates.end(), [](const GateStatus& gate) {
    return gate.bucket == kBucket && gate.gate_class == GateClass::kRead;
  });
  ASSERT_NE(reads, gates.end());
  EXPECT_EQ(reads->throttled, 1U);
}

}  // namespace
}  // namespace gcsflux
