#include "retry/gate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gcsflux::internal {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

// Engages at this many 429s within a second, if they are more than this share of the answers. A single 429 may be a
// permanent refusal of one object, and would slow down a client without a quota.
constexpr double kEngageCount = 4;
constexpr double kEngageShare = 0.05;
constexpr auto kMemory = 1s;

constexpr double kLeastFirstRate = 10;
constexpr double kLeastRate = 1;
constexpr auto kBurst = 5ms;         // of the rate, that may be accumulated
constexpr auto kCutInterval = 50ms;  // one cut per round of requests
constexpr auto kReopenAfter = 10s;   // if no request has waited for this long
constexpr double kWindow = 16;       // answers in a window that is judged
constexpr double kFlooded = 0.4;     // the share of 429s above which the delivered rate is used

// While the gate is the limit, the rate balances at this many 429s per second and process, independent of the rate. So
// slower processes gain, and shares become equal without coordination.
constexpr double kKappa = 2.5;
constexpr double kSlowStartGrowth = 6.7;  // requests per second, per success

// A waiter may ask this late, as a share of the time between two requests. Nothing is lost, because unused time
// accumulates up to the length of one request.
constexpr double kMostLate = 0.25;
// It asks this late by itself: who asks too early, because a request before it took more than its share, asks twice.
constexpr double kSlack = 0.15;
// How long one that is not the first waits at least, in requests. It would ask without a pause while the first is late.
constexpr double kLeastBehind = 0.5;

// The share that a cut subtracts.
double Beta(double rate) { return std::clamp(0.02 * std::sqrt(rate), 0.05, 0.15); }

Gate::Duration InNanoseconds(Seconds time) { return std::chrono::duration_cast<Gate::Duration>(time); }

}  // namespace

std::optional<Gate::Duration> Gate::Acquire(Ticket ticket, TimePoint now) {
  if (!is_engaged_) {
    Pass(ticket, now);
    return std::nullopt;
  }
  const double elapsed = Seconds(now - refilled_).count();
  tokens_ = std::min(std::max(1.0, rate_ * Seconds(kBurst).count()), tokens_ + rate_ * elapsed);
  refilled_ = now;
  const bool is_first = waiting_.empty() || ticket <= *waiting_.begin();
  if (is_first && tokens_ >= 0) {
    tokens_ -= Uniform(0.9, 1.1);  // so that processes do not act at the same moments
    Pass(ticket, now);
    return std::nullopt;
  }
  waiting_.insert(ticket);
  last_wait_ = now;
  // Those before it ask first, also if there are tokens for all of them.
  const double ahead = std::max(PlaceOf(ticket) - tokens_, is_first ? 0.0 : kLeastBehind);
  return InNanoseconds(Seconds((ahead + kSlack) / rate_)) + 1ns;  // rounded up
}

void Gate::Pass(Ticket ticket, TimePoint now) {
  if (waiting_.erase(ticket) != 0) last_wait_ = now;
  ++in_flight_;
}

// How many requests are before it. Most callers are the last in the queue, or among the first.
double Gate::PlaceOf(Ticket ticket) const {
  if (ticket == *waiting_.rbegin()) return static_cast<double>(waiting_.size() - 1);
  return static_cast<double>(std::distance(waiting_.begin(), waiting_.find(ticket)));
}

bool Gate::FirstIsLate(TimePoint asks_at, TimePoint now) const {
  if (!is_engaged_) return true;
  const double saved = tokens_ + rate_ * Seconds(now - refilled_).count();
  const double used_until_then = rate_ * Seconds(asks_at - now).count();
  return saved + used_until_then > kMostLate;
}

void Gate::Leave(Ticket ticket) { waiting_.erase(ticket); }

void Gate::OnOther() { --in_flight_; }

void Gate::Remember(TimePoint now, bool is_throttled) {
  recent_.push_back({now, is_throttled});
  recent_throttled_ += is_throttled ? 1 : 0;
  while (recent_.front().at <= now - kMemory) {
    recent_throttled_ -= recent_.front().is_throttled ? 1 : 0;
    recent_.pop_front();
  }
}

Gate::Duration Gate::OnThrottled(TimePoint sent, TimePoint now, int attempt) {
  --in_flight_;
  ++throttled_;
  if (!throttled_since_) throttled_since_ = now;
  if (!is_engaged_) {
    Remember(now, true);
    const auto refused = static_cast<double>(recent_throttled_);
    const double passed = static_cast<double>(recent_.size()) - refused;
    if (refused >= kEngageCount && refused >= kEngageShare * (passed + static_cast<double>(in_flight_) + refused)) {
      Engage(now, passed);
      return 0ns;
    }
    const double cap = std::min(1.0, 0.02 * std::exp2(std::min(attempt - 1, 30)));
    return InNanoseconds(Seconds(Uniform(0.5, 1.0) * cap));
  }
  if (sent >= window_start_) ++window_throttled_;
  if (sent >= last_cut_ && now - last_cut_ >= kCutInterval) Cut(now);
  return 0ns;
}

void Gate::Engage(TimePoint now, double rate) {
  is_engaged_ = true;
  recent_.clear();
  recent_throttled_ = 0;
  rate_ = std::max(kLeastFirstRate, rate);
  tokens_ = 0;
  refilled_ = last_cut_ = last_wait_ = window_start_ = now;
  window_successes_ = window_throttled_ = 0;
  is_slow_start_ = true;
  quiet_ = 0;
}

double Gate::WindowRate(TimePoint now) const {
  const double seconds = Seconds(now - window_start_).count();
  return seconds > 0 ? window_successes_ / seconds : 0;
}

void Gate::Cut(TimePoint now) {
  quiet_ /= 2;
  if (is_slow_start_) LeaveSlowStart(now);
  rate_ = std::max(kLeastRate, rate_ * (1 - Beta(rate_)));
  last_cut_ = now;
  CollapseIfFlooded(now);
}

void Gate::LeaveSlowStart(TimePoint now) {
  is_slow_start_ = false;
  rate_ = std::max(kLeastFirstRate, std::max(rate_ / 2, std::min(0.9 * rate_, WindowRate(now))));
}

void Gate::CollapseIfFlooded(TimePoint now) {
  const double answers = window_successes_ + window_throttled_;
  if (answers < kWindow) return;
  if (window_throttled_ > kFlooded * answers) {
    rate_ = std::max(kLeastRate, std::min(rate_, std::max(rate_ / 2, WindowRate(now))));
    quiet_ = 0;
    tokens_ = std::min(0.0, tokens_) - Uniform(0.05, 0.15) * rate_;
  }
  window_start_ = now;
  window_successes_ = window_throttled_ = 0;
}

void Gate::OnSuccess(TimePoint sent, TimePoint now) {
  --in_flight_;
  throttled_since_.reset();
  if (!is_engaged_) return Remember(now, false);
  if (now - last_wait_ > kReopenAfter) {  // it is not the limit any more
    is_engaged_ = false;
    return;
  }
  if (sent >= window_start_) ++window_successes_;
  ++quiet_;
  // Only while the gate is the limit does success mean that a higher rate is possible.
  if (now - last_wait_ < std::max<Duration>(1s, InNanoseconds(Seconds(2 / rate_)))) Grow();
}

void Gate::Grow() {
  const double probability = std::clamp(kKappa / rate_, 0.001, 0.5);
  double growth = Beta(rate_) * probability * rate_;
  const double silence = quiet_ * probability - 3;  // far fewer 429s than in balance: a much higher rate is possible
  if (silence > 0) growth *= std::exp2(std::min(silence, 30.0));
  growth = std::min(growth, std::max(6 * Beta(rate_), silence > 0 ? 1.0 : 0.0));
  rate_ += is_slow_start_ ? kSlowStartGrowth : growth;
}

}  // namespace gcsflux::internal
