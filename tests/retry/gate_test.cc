#include "retry/gate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;

class GateTest : public ::testing::Test {
 protected:
  // Sends a request if it may go at once, and ends it `later` with this outcome.
  void Succeed(Gate::Duration later = 10ms) {
    ASSERT_FALSE(gate_.Acquire(++ticket_, now_));
    const auto sent = std::exchange(now_, now_ + later);
    gate_.OnSuccess(sent, now_);
  }
  Gate::Duration BeThrottled(int attempt = 1, Gate::Duration later = 10ms) {
    EXPECT_FALSE(gate_.Acquire(++ticket_, now_));
    const auto sent = std::exchange(now_, now_ + later);
    return gate_.OnThrottled(sent, now_, attempt);
  }
  void Engage() {
    for (int i = 0; i < 4; ++i) BeThrottled(1, 1ms);
    ASSERT_TRUE(gate_.is_engaged());
  }
  // The next request, which waits for its turn.
  void SucceedInTurn() {
    ++ticket_;
    while (const auto wait = gate_.Acquire(ticket_, now_)) now_ += *wait;
    const auto sent = std::exchange(now_, now_ + 1ms);
    gate_.OnSuccess(sent, now_);
  }

  Gate gate_{[] { return 0.5; }};
  Gate::TimePoint now_{1h};
  Gate::Ticket ticket_ = 0;
};

TEST_F(GateTest, IsOpenWithoutThrottling) {
  for (int i = 0; i < 10'000; ++i) Succeed(10us);
  EXPECT_FALSE(gate_.is_engaged());
  EXPECT_EQ(gate_.throttled(), 0U);
}

TEST_F(GateTest, IgnoresAFewRefusals) {
  for (int i = 0; i < 3; ++i) EXPECT_GT(BeThrottled(), 0ns);
  EXPECT_FALSE(gate_.is_engaged());
  EXPECT_EQ(BeThrottled(), 0ns) << "the fourth within a second";
  EXPECT_TRUE(gate_.is_engaged());
}

TEST_F(GateTest, ForgetsRefusalsAfterASecond) {
  for (int i = 0; i < 3; ++i) BeThrottled();
  now_ += 1s;
  for (int i = 0; i < 3; ++i) BeThrottled();
  EXPECT_FALSE(gate_.is_engaged());
}

TEST_F(GateTest, StaysOpenUnderRareRefusals) {
  for (int i = 0; i < 50; ++i) {  // 1 % of all, as if single objects were refused
    for (int j = 0; j < 99; ++j) Succeed(10us);
    BeThrottled(1, 10us);
  }
  EXPECT_FALSE(gate_.is_engaged());
}

TEST_F(GateTest, DelaysByAttemptsWhileOpen) {
  const double half = 0.75;  // uniform(0.5, 1) of the given chance
  EXPECT_EQ(BeThrottled(1), std::chrono::duration_cast<Gate::Duration>(20ms * half));
  EXPECT_EQ(BeThrottled(3), std::chrono::duration_cast<Gate::Duration>(80ms * half));
  now_ += 2s;
  EXPECT_EQ(BeThrottled(40), std::chrono::duration_cast<Gate::Duration>(1s * half));
}

TEST_F(GateTest, StartsAtTheDeliveredRate) {
  for (int i = 0; i < 40; ++i) Succeed(10ms);
  Engage();
  EXPECT_DOUBLE_EQ(gate_.rate(), 40);
}

TEST_F(GateTest, AdmitsWaitersInTheOrderOfTheirFirstAttempt) {
  Engage();
  ASSERT_FALSE(gate_.Acquire(100, now_));  // takes the available token
  EXPECT_TRUE(gate_.Acquire(102, now_));
  EXPECT_TRUE(gate_.Acquire(103, now_));
  EXPECT_TRUE(gate_.Acquire(101, now_)) << "it arrives late, but was issued first";
  EXPECT_EQ(gate_.waiting(), 3U);
  now_ += 100ms;
  EXPECT_TRUE(gate_.Acquire(103, now_));
  EXPECT_TRUE(gate_.Acquire(102, now_));
  EXPECT_FALSE(gate_.Acquire(101, now_));
  gate_.Leave(102);
  now_ += 1s;
  EXPECT_FALSE(gate_.Acquire(103, now_));
  EXPECT_EQ(gate_.waiting(), 0U);
}

TEST_F(GateTest, ReturnsTheWaitOfTheFirst) {
  Engage();
  ASSERT_DOUBLE_EQ(gate_.rate(), 10);
  ASSERT_FALSE(gate_.Acquire(100, now_));
  const auto wait = gate_.Acquire(101, now_);
  ASSERT_TRUE(wait);
  EXPECT_NEAR(static_cast<double>(wait->count()), 1.15e8, 10) << "one request at 10/s, and its slack";
  EXPECT_TRUE(gate_.Acquire(101, now_ + *wait - 15ms - 10ns));
  EXPECT_FALSE(gate_.Acquire(101, now_ + *wait));
}

TEST_F(GateTest, ReturnsTheWaitOfLaterOnes) {
  Engage();
  ASSERT_FALSE(gate_.Acquire(100, now_));
  ASSERT_TRUE(gate_.Acquire(101, now_));
  const auto third = gate_.Acquire(103, now_);
  ASSERT_TRUE(third);
  EXPECT_NEAR(static_cast<double>(third->count()), 2.15e8, 10) << "two requests at 10/s, and its slack";
  const auto second = gate_.Acquire(102, now_);  // arrives between them
  ASSERT_TRUE(second);
  EXPECT_NEAR(static_cast<double>(second->count()), 2.15e8, 10);
}

TEST_F(GateTest, RequestsBehindALateOneDoNotAskWithoutAPause) {
  Engage();
  ASSERT_FALSE(gate_.Acquire(100, now_));
  ASSERT_TRUE(gate_.Acquire(101, now_));
  const auto behind = gate_.Acquire(102, now_ + 10s);  // 101 has not asked again: there are tokens for both
  ASSERT_TRUE(behind);
  EXPECT_GE(*behind, 50ms) << "half a request at 10/s";
}

TEST_F(GateTest, WakesTheFirstOnlyIfItWouldLoseItsTurn) {
  Engage();
  ASSERT_FALSE(gate_.Acquire(100, now_));
  const auto asks_at = now_ + gate_.Acquire(101, now_).value() - 15ms;  // at 10/s, without its slack
  EXPECT_FALSE(gate_.FirstIsLate(asks_at, now_));
  EXPECT_FALSE(gate_.FirstIsLate(asks_at + 20ms, now_)) << "lost capacity is saved";
  EXPECT_TRUE(gate_.FirstIsLate(asks_at + 30ms, now_));
  EXPECT_TRUE(gate_.FirstIsLate(asks_at + 30ms, now_ + 50ms)) << "it is as late at any time";
  EXPECT_FALSE(gate_.FirstIsLate(asks_at + 20ms, now_ + 50ms));
}

// The line moves for more than ten seconds, and no request joins it meanwhile.
TEST_F(GateTest, StaysEngagedWhileALineMoves) {
  Engage();
  ASSERT_FALSE(gate_.Acquire(100, now_));
  std::vector<Gate::TimePoint> turns;
  for (Gate::Ticket ticket = 101; ticket < 101 + 150; ++ticket) turns.push_back(now_ + *gate_.Acquire(ticket, now_));
  for (Gate::Ticket ticket = 101; ticket < 101 + 150; ++ticket) {
    now_ = turns[ticket - 101];
    while (const auto wait = gate_.Acquire(ticket, now_)) now_ += *wait;
    gate_.OnOther();
  }
  gate_.OnSuccess(now_, now_);
  EXPECT_TRUE(gate_.is_engaged());
}

TEST_F(GateTest, CutsTheRateOncePerRound) {
  Engage();
  for (int i = 0; i < 20; ++i) SucceedInTurn();
  now_ += 60ms;
  const auto sent = now_;
  gate_.Acquire(1000, now_ += 1s);
  gate_.Acquire(1001, now_ += 1s);
  gate_.OnThrottled(sent, now_, 1);
  const double cut = gate_.rate();
  gate_.OnThrottled(sent, now_ + 60ms, 1);  // sent before the cut: it does not know the new rate
  EXPECT_EQ(gate_.rate(), cut);
}

TEST_F(GateTest, NeverFallsBelowOneRequestPerSecond) {
  Engage();
  for (int i = 0; i < 1000; ++i) {
    ++ticket_;
    int tries = 0;
    while (const auto wait = gate_.Acquire(ticket_, now_)) {
      now_ += *wait;
      ASSERT_LT(++tries, 10);
    }
    const auto sent = std::exchange(now_, now_ + 100ms);
    gate_.OnThrottled(sent, now_, 1);
    ASSERT_GE(gate_.rate(), 1);
  }
  EXPECT_TRUE(gate_.throttled_since());
}

TEST_F(GateTest, GrowsFasterTheLongerItIsQuiet) {
  Engage();
  now_ += 60ms;
  ASSERT_FALSE(gate_.Acquire(++ticket_, now_));
  gate_.OnThrottled(now_, now_, 1);  // ends the slow start
  double before = gate_.rate();
  for (int i = 0; i < 10; ++i) SucceedInTurn();
  const double early = gate_.rate() / before;
  for (int i = 0; i < 500; ++i) SucceedInTurn();
  before = gate_.rate();
  for (int i = 0; i < 10; ++i) SucceedInTurn();
  EXPECT_GT(gate_.rate() - before, 5) << "early growth was x" << early;
}

TEST_F(GateTest, OpensAfterTenSecondsWithoutWaiters) {
  Engage();
  now_ += 5s;
  Succeed();
  EXPECT_TRUE(gate_.is_engaged());
  now_ += 6s;
  Succeed();
  EXPECT_FALSE(gate_.is_engaged());
}

TEST_F(GateTest, ReportsThrottlingSinceTheLastSuccess) {
  EXPECT_FALSE(gate_.throttled_since());
  BeThrottled();
  const auto first = now_;
  BeThrottled();
  EXPECT_EQ(gate_.throttled_since(), first);
  Succeed();
  EXPECT_FALSE(gate_.throttled_since());
}

}  // namespace
}  // namespace gcsflux::internal
