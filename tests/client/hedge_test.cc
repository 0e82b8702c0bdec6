// When a stalled read may be sent a second time.
#include "client/hedge.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "support/driven_timing.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;
using testing::DrivenTiming;

class HedgeTest : public ::testing::Test {
 protected:
  HedgeTest() {
    for (int i = 0; i < 20; ++i) {
      budget_.OnRequest();
      pace_.OnFirstByte(10ms);
    }
    progress_.emplace(timing_, pace_, nullptr);
  }

  Hedge MakeHedge(GateKeeper* gate) {
    return Hedge({.timing = timing_,
                  .budget = budget_,
                  .observer = observer_,
                  .gate = gate,
                  .attempts = attempts_,
                  .progress = *progress_,
                  .make_second = [this](int) { return rest_; }});
  }

  // As many in parallel as engage a gate.
  void Throttle(GateKeeper& gate) {
    for (int i = 0; i < 20; ++i) {
      const auto entered = gate.Enter(static_cast<Gate::Ticket>(i), timing_.Now() + 1h, {});
      gate.OnThrottled(entered.sent, 1);
    }
    ASSERT_TRUE(gate.state().is_engaged);
  }

  DrivenTiming timing_;
  Observer observer_;
  HedgeBudget budget_{0.1};  // of 20 requests: 2
  ReadPace pace_{HedgeOptions{.stall_factor = 3, .min_stall = 1ms}};
  const Call call_{.operation = "objects.get", .subject = "gs://b/o", .is_idempotent = true};
  const RetryOptions retry_;
  Attempts attempts_{call_, {.options = retry_, .timing = timing_}};
  std::optional<StallWatch> progress_;
  std::optional<HttpRequest> rest_ = HttpRequest{.url = "http://rest"};
};

TEST_F(HedgeTest, IsSentAfterAStall) {
  Hedge hedge = MakeHedge(nullptr);
  EXPECT_GT(hedge.TimeLeft().value(), 0ns);
  timing_.Advance(40ms);
  ASSERT_LE(hedge.TimeLeft().value(), 0ns);
  const HttpRequest* const second = hedge.OnOverdue();
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->url, "http://rest");
  EXPECT_EQ(attempts_.number(), 2);
  EXPECT_EQ(observer_.counters().stalls, 1U);
  EXPECT_EQ(observer_.counters().hedges, 1U);
  hedge.OnSecondWon();
  EXPECT_EQ(observer_.counters().hedges_won, 1U);
  EXPECT_NE(hedge.winner(), nullptr);
}

TEST_F(HedgeTest, IsNotSentWhileTheGateIsEngaged) {
  GateKeeper gate(timing_);
  Throttle(gate);
  Hedge hedge = MakeHedge(&gate);
  timing_.Advance(40ms);
  EXPECT_EQ(hedge.OnOverdue(), nullptr);
  EXPECT_EQ(observer_.counters().stalls, 1U);
  EXPECT_EQ(observer_.counters().hedges, 0U);
  EXPECT_EQ(attempts_.number(), 1) << "an unsent request is not an attempt";
  EXPECT_TRUE(budget_.Take() && budget_.Take()) << "nor is it paid for";
}

TEST_F(HedgeTest, IsSentWhileTheGateIsOpen) {
  GateKeeper gate(timing_);
  Hedge hedge = MakeHedge(&gate);
  timing_.Advance(40ms);
  EXPECT_NE(hedge.OnOverdue(), nullptr);
  hedge.OnSecondFailed(HttpResponse{.status = 429});
  EXPECT_EQ(gate.state().throttled, 1U) << "the gate hears of second requests too";
}

// Requests that a gate counts as in flight make refusals look rare, and would keep it open.
TEST_F(HedgeTest, LeavesNothingInFlightAtTheGateWithoutBudget) {
  while (budget_.Take()) {
  }
  GateKeeper gate(timing_);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(MakeHedge(&gate).OnOverdue(), nullptr);
  for (Gate::Ticket ticket = 1; ticket <= 4; ++ticket) {
    gate.OnThrottled(gate.Enter(ticket, Gate::TimePoint::max(), {}).sent, 1);
  }
  EXPECT_TRUE(gate.state().is_engaged);
}

TEST_F(HedgeTest, LeavesNothingInFlightAtTheGateAfterItWins) {
  GateKeeper gate(timing_);
  for (int i = 0; i < 1000; ++i) {
    for (int requests = 0; requests < 11; ++requests) budget_.OnRequest();
    Hedge hedge = MakeHedge(&gate);
    ASSERT_NE(hedge.OnOverdue(), nullptr);
    hedge.OnSecondWon();
  }
  timing_.Advance(2s);  // The gate's memory.
  for (Gate::Ticket ticket = 1; ticket <= 4; ++ticket) {
    gate.OnThrottled(gate.Enter(ticket, Gate::TimePoint::max(), {}).sent, 1);
  }
  EXPECT_TRUE(gate.state().is_engaged);
}

TEST_F(HedgeTest, IsRefusedOncePerStall) {
  while (budget_.Take()) {
  }
  Hedge hedge = MakeHedge(nullptr);
  timing_.Advance(40ms);
  EXPECT_EQ(hedge.OnOverdue(), nullptr);
  EXPECT_FALSE(hedge.TimeLeft()) << "until a byte arrives";
  ASSERT_TRUE(progress_->OnHeaders({.status = 200}).ok());
  EXPECT_TRUE(hedge.TimeLeft());
}

TEST_F(HedgeTest, IsNotSentAfterTheLastByte) {
  rest_.reset();
  Hedge hedge = MakeHedge(nullptr);
  timing_.Advance(40ms);
  EXPECT_EQ(hedge.OnOverdue(), nullptr);
  EXPECT_EQ(observer_.counters().hedges, 0U);
}

// Takes an hour for each piece of a body.
class SlowReceiver : public BodyReceiver {
 public:
  explicit SlowReceiver(DrivenTiming& timing) : timing_(timing) {}
  Result<bool> OnHeaders(const HttpResponse&) override { return true; }
  Result<void> OnBody(std::span<const std::byte>) override {
    timing_.Advance(1h);
    return {};
  }

 private:
  DrivenTiming& timing_;
};

TEST_F(HedgeTest, DoesNotCountAReceiversTimeAsAStall) {
  for (int i = 0; i < 20; ++i) pace_.OnBody(ReadPace::kBlockBytes, 10ms);
  SlowReceiver slow(timing_);
  StallWatch progress(timing_, pace_, &slow);
  ASSERT_TRUE(progress.OnHeaders({.status = 200}).ok());
  const std::vector<std::byte> bytes(1000);
  ASSERT_TRUE(progress.OnBody(bytes).ok());
  EXPECT_GT(progress.TimeLeft().value(), 20ms);
}

TEST_F(HedgeTest, LearnsNothingFromASlowReceiver) {
  SlowReceiver slow(timing_);
  StallWatch progress(timing_, pace_, &slow);
  ASSERT_TRUE(progress.OnHeaders({.status = 200}).ok());
  const std::vector<std::byte> quarter(ReadPace::kBlockBytes / 4);
  for (int i = 0; i < 4 * 20; ++i) {
    timing_.Advance(5ms);
    ASSERT_TRUE(progress.OnBody(quarter).ok());
  }
  const auto patience = pace_.BlockPatience();
  ASSERT_TRUE(patience) << "20 blocks of 20 ms have arrived";
  EXPECT_GE(*patience, 60ms);
  EXPECT_LE(*patience, 66ms);
}

TEST_F(HedgeTest, LearnsNothingFromAFailedRead) {
  const auto before = pace_.FirstBytePatience();
  for (int i = 0; i < 20; ++i) {
    StallWatch progress(timing_, pace_, nullptr);
    timing_.Advance(1h);
    ASSERT_TRUE(progress.OnHeaders({.status = 503}).ok());
  }
  EXPECT_EQ(pace_.FirstBytePatience(), before);
}

TEST_F(HedgeTest, LearnsFromTheLastBytesAtTheEndOfABody) {
  const std::vector<std::byte> half(ReadPace::kBlockBytes / 2);
  for (int i = 0; i < 20; ++i) {
    StallWatch progress(timing_, pace_, nullptr);
    ASSERT_TRUE(progress.OnHeaders({.status = 200}).ok());
    timing_.Advance(5ms);
    ASSERT_TRUE(progress.OnBody(half).ok());
    progress.OnEnd();
  }
  const auto patience = pace_.BlockPatience();
  ASSERT_TRUE(patience) << "20 bodies have ended";
  EXPECT_GE(*patience, 30ms);
  EXPECT_LE(*patience, 33ms);
}

TEST_F(HedgeTest, LearnsFromAStalledBodyAsFromABlock) {
  for (int i = 0; i < 20; ++i) {
    StallWatch progress(timing_, pace_, nullptr);
    ASSERT_TRUE(progress.OnHeaders({.status = 200}).ok());
    timing_.Advance(10ms);
    progress.OnSecondSent();
  }
  const auto patience = pace_.BlockPatience();
  ASSERT_TRUE(patience) << "20 bodies stood still for 10 ms";
  EXPECT_GE(*patience, 30ms);
  EXPECT_LE(*patience, 33ms);
}

TEST_F(HedgeTest, WatchesTheFirstBodyBesideTheSecondRequest) {
  ASSERT_TRUE(progress_->OnHeaders({.status = 200}).ok());
  progress_->OnSecondSent();
  EXPECT_EQ(progress_->TakeStall().kind, EventKind::kStalledFirstByte);
  ASSERT_TRUE(progress_->OnBody(std::vector<std::byte>(1)).ok());
  EXPECT_EQ(progress_->TakeStall().kind, EventKind::kStalledBody);
}

}  // namespace
}  // namespace gcsflux::internal
