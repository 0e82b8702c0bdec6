#include <gtest/gtest.h>

#include <stdexcept>

#include "events/observer.h"
#include "support/recorded_events.h"

namespace gcsflux {
namespace {

using internal::Observer;
using testing::RecordedEvents;

class ThrowingOnRetry : public EventListener {
  void OnEvent(const Event&) override { throw std::runtime_error("a listener's own trouble"); }
};

const Error kCause{ErrorCode::kUnavailable, "503"};

TEST(CombineListeners, IsolatesAThrowingListener) {
  const auto first = std::make_shared<RecordedEvents>();
  const auto last = std::make_shared<RecordedEvents>();
  Observer observer(CombineListeners({first, std::make_shared<ThrowingOnRetry>(), nullptr, last}));
  observer.Report({.kind = EventKind::kRetry, .error = &kCause});
  EXPECT_EQ(first->retries.size(), 1U);
  EXPECT_EQ(last->retries.size(), 1U);
  EXPECT_EQ(observer.counters().listener_exceptions, 1U);
  EXPECT_EQ(observer.counters().retries, 1U);
}

TEST(CombineListeners, ReturnsASingleListenerItself) {
  const auto only = std::make_shared<RecordedEvents>();
  EXPECT_EQ(CombineListeners({nullptr, only}), only);
  EXPECT_EQ(CombineListeners({nullptr}), nullptr);
}

TEST(Observer, BuildsNoEventWithoutAListener) {
  Observer observer;
  bool was_made = false;
  observer.RequestEnded(internal::BillingClass::kB, 1, 2, [&] {
    was_made = true;
    return Event{};
  });
  EXPECT_FALSE(was_made);
  EXPECT_EQ(observer.counters().requests, 1U);
  EXPECT_EQ(observer.counters().class_b_operations, 1U);
  EXPECT_EQ(observer.counters().bytes_sent, 1U);
  EXPECT_EQ(observer.counters().bytes_received, 2U);
}

TEST(Observer, ReportsRefusedCompositionOncePerBucket) {
  const auto first = std::make_shared<RecordedEvents>();
  const auto second = std::make_shared<RecordedEvents>();
  Observer observer(CombineListeners({first, second}));
  for (const char* bucket : {"a", "b", "a"})
    observer.Report({.kind = EventKind::kCompositionRefused, .bucket = bucket, .what = "no role"});
  const std::vector<std::pair<std::string, std::string>> want = {{"a", "no role"}, {"b", "no role"}};
  EXPECT_EQ(first->refusals, want);
  EXPECT_EQ(second->refusals, want);
}

TEST(Observer, CountsStallsHedgesSessionsAndTokens) {
  Observer observer;
  for (const EventKind kind : {EventKind::kStalledBody, EventKind::kHedgeSent, EventKind::kHedgeSent,
                               EventKind::kHedgeWon, EventKind::kHedgeLost, EventKind::kToken}) {
    observer.Report({.kind = kind});
  }
  observer.SessionRestarted();
  observer.TokenRetried();
  observer.Report({.kind = EventKind::kToken, .error = &kCause});
  const Counters counters = observer.counters();
  EXPECT_EQ(counters.stalls, 1U);
  EXPECT_EQ(counters.hedges, 2U);
  EXPECT_EQ(counters.hedges_won, 1U);
  EXPECT_EQ(counters.sessions_restarted, 1U);
  EXPECT_EQ(counters.token_retries, 1U);
  EXPECT_EQ(counters.token_refreshes, 1U);
  EXPECT_EQ(counters.token_failures, 1U);
}

}  // namespace
}  // namespace gcsflux
