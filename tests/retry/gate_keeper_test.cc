// The gate as threads use it.

#include "retry/gate_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "loop/system_timing.h"
#include "retry/gates.h"
#include "support/driven_timing.h"

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;
using Kind = GateKeeper::Admission::Kind;

constexpr auto kNever = Gate::TimePoint::max();

// Four refusals at once, by the timing's clock.
void Engage(GateKeeper& gate) {
  for (Gate::Ticket ticket = 1; ticket <= 4; ++ticket) {
    const auto admission = gate.Enter(ticket, kNever, {});
    ASSERT_EQ(admission.kind, Kind::kGo);
    gate.OnThrottled(admission.sent, 1);
  }
  ASSERT_TRUE(gate.state().is_engaged);
}

TEST(GateKeeper, PacesOneByOneOnceItIsEngaged) {
  testing::DrivenTiming timing;
  GateKeeper gate(timing);
  Engage(gate);
  const auto start = timing.Now();
  for (Gate::Ticket ticket = 10; ticket < 20; ++ticket) {
    const auto admission = gate.Enter(ticket, kNever, {});
    ASSERT_EQ(admission.kind, Kind::kGo);
    gate.OnOther();  // neither success nor refusal: the rate stays
  }
  EXPECT_DOUBLE_EQ(gate.state().rate, 10);
  EXPECT_NEAR(std::chrono::duration<double>(timing.Now() - start).count(), 0.9, 0.11) << "ten requests at 10/s";
  EXPECT_EQ(gate.state().throttled, 4U);
}

TEST(GateKeeper, AdmitsNoRequestAfterItsDeadline) {
  testing::DrivenTiming timing;
  GateKeeper gate(timing);
  Engage(gate);
  ASSERT_EQ(gate.Enter(10, kNever, {}).kind, Kind::kGo);
  EXPECT_EQ(gate.Enter(11, timing.Now() + 50ms, {}).kind, Kind::kTooLate);
  EXPECT_EQ(gate.state().waiting, 0U) << "it still stands in line";
}

TEST(GateKeeper, AdmitsNoStoppedRequest) {
  testing::DrivenTiming timing;
  GateKeeper gate(timing);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(gate.Enter(1, kNever, stop.get_token()).kind, Kind::kCancelled);
}

TEST(GateKeeper, GivesUpAfterFiveMinutesOfThrottling) {
  testing::DrivenTiming timing;
  GateKeeper gate(timing);
  const auto start = timing.Now();
  Kind kind = Kind::kGo;
  for (Gate::Ticket ticket = 1; kind == Kind::kGo; ++ticket) {
    ASSERT_LT(timing.Now() - start, 6min);
    const auto admission = gate.Enter(ticket, kNever, {});
    kind = admission.kind;
    if (kind == Kind::kGo) timing.Wait(gate.OnThrottled(admission.sent, 1) + 10ms, {});
  }
  EXPECT_EQ(kind, Kind::kHopeless);
  EXPECT_GE(timing.Now() - start, 5min);
}

// Real threads and, for their waits, real time: milliseconds in all.
TEST(GateKeeper, AdmitsEachThreadOnce) {
  const auto timing = SystemTiming();
  Gates gates(*timing);
  GateKeeper& gate = gates.For("bucket", GateClass::kRead);
  for (int i = 0; i < 200; ++i) gate.OnSuccess(gate.Enter(gates.NewTicket(), kNever, {}).sent);  // 200/s to begin with
  for (int i = 0; i < 12 && !gate.state().is_engaged; ++i) {
    gate.OnThrottled(gate.Enter(gates.NewTicket(), kNever, {}).sent, 1);
  }
  ASSERT_TRUE(gate.state().is_engaged);
  std::atomic<int> passed = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 10; ++j) {
          const auto admission = gate.Enter(gates.NewTicket(), kNever, {});
          passed += admission.kind == Kind::kGo ? 1 : 0;
          gate.OnSuccess(admission.sent);
        }
      });
    }
  }
  EXPECT_EQ(passed, 80);
  EXPECT_EQ(gate.state().waiting, 0U);
}

// No answer arrives: a request that leaves wakes the next one.
TEST(GateKeeper, AdmitsWaitersWithoutAnswers) {
  const auto timing = SystemTiming();
  GateKeeper gate(*timing);
  Engage(gate);  // 10/s
  std::atomic<int> passed = 0;
  {
    std::vector<std::jthread> threads;
    for (Gate::Ticket ticket = 10; ticket < 15; ++ticket) {
      threads.emplace_back([&, ticket] {
        const auto deadline = timing->Now() + 30s;
        passed += gate.Enter(ticket, deadline, {}).kind == Kind::kGo ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(passed, 5);
}

TEST(GateKeeper, WakesAStoppedWaiter) {
  const auto timing = SystemTiming();
  GateKeeper gate(*timing);
  Engage(gate);
  ASSERT_EQ(gate.Enter(10, kNever, {}).kind, Kind::kGo);
  for (int i = 0; i < 40; ++i) gate.OnThrottled(timing->Now(), 1);
  std::stop_source stop;
  std::vector<std::jthread> threads;
  std::atomic<int> cancelled = 0;
  for (Gate::Ticket ticket = 100; ticket < 110; ++ticket) {
    threads.emplace_back([&, ticket] {
      while (true) {
        const auto admission = gate.Enter(ticket, kNever, stop.get_token());
        if (admission.kind == Kind::kCancelled) break;
        gate.OnThrottled(admission.sent, 1);
      }
      ++cancelled;
    });
  }
  stop.request_stop();
  threads.clear();
  EXPECT_EQ(cancelled, 10);
}

// Time stands still. A wait ends only on a stop request.
class StandingTiming : public Timing {
 public:
  [[nodiscard]] TimePoint Now() const override { return TimePoint(1s); }
  [[nodiscard]] std::chrono::system_clock::time_point SystemNow() const override { return {}; }
  bool Wait(std::chrono::nanoseconds duration, const std::stop_token& stop) const override {
    std::unique_lock lock(mutex_);
    waits_.push_back(duration);
    has_begun_.notify_all();
    changed_.wait(lock, stop, [] { return false; });
    return false;
  }
  [[nodiscard]] double Random() const override { return 0.5; }

  /// The length of the wait of this number, as soon as it starts.
  [[nodiscard]] std::chrono::milliseconds WaitAt(std::size_t index) const {
    std::unique_lock lock(mutex_);
    has_begun_.wait(lock, [&] { return waits_.size() > index; });
    return std::chrono::duration_cast<std::chrono::milliseconds>(waits_[index]);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable has_begun_;
  mutable std::condition_variable_any changed_;
  mutable std::vector<std::chrono::nanoseconds> waits_;  // Guarded by mutex_.
};

// Three requests wait at a gate of 10 requests per second.
class WaitersTest : public ::testing::Test {
 protected:
  WaitersTest() {
    Engage(gate_);
    EXPECT_EQ(gate_.Enter(10, kNever, {}).kind, Kind::kGo);
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      threads_.emplace_back([this, i] { gate_.Enter(11 + i, kNever, stops_[i].get_token()); });
      EXPECT_EQ(timing_.WaitAt(i), kSlack + 100ms * (i + 1));
    }
  }
  ~WaitersTest() override {
    for (std::stop_source& stop : stops_) stop.request_stop();
  }

  static constexpr auto kSlack = 15ms;  // 0.15 requests
  StandingTiming timing_;
  GateKeeper gate_{timing_};
  std::vector<std::stop_source> stops_ = std::vector<std::stop_source>(3);
  std::vector<std::jthread> threads_;  // Last: they use the members above.
};

TEST_F(WaitersTest, NextAsksAgainWhenTheFirstLeaves) {
  stops_[0].request_stop();
  EXPECT_EQ(timing_.WaitAt(3), kSlack + 100ms) << "the second one is the first now";
}

TEST_F(WaitersTest, FirstAsksAgainWhenTheRateRises) {
  gate_.OnSuccess(timing_.Now());
  EXPECT_LT(timing_.WaitAt(3), 100ms);
  EXPECT_GT(gate_.state().rate, 10);
}

TEST(Gates, AreSeparatePerBucketAndClass) {
  testing::DrivenTiming timing;
  Gates gates(timing);
  std::set<GateKeeper*> all;
  for (const char* bucket : {"one", "two"}) {
    for (const GateClass of : {GateClass::kList, GateClass::kRead, GateClass::kWrite})
      all.insert(&gates.For(bucket, of));
  }
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(&gates.For("one", GateClass::kRead), &gates.For("one", GateClass::kRead));
  const Gate::Ticket first = gates.NewTicket();
  EXPECT_LT(first, gates.NewTicket());
}

}  // namespace
}  // namespace gcsflux::internal
