#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>

namespace gcsflux::internal {

/// Paces the requests that share a quota, once the service has proven that there is one: a rate for this process, found
/// without knowing the quota or who else uses it.
///
/// Open, it lets everything pass. When throttled answers (429) become more than noise it engages: requests then go one
/// by one, in the order in which they were first asked for, at a rate that grows exponentially while it is what limits
/// us and is cut by a share at each round of refusals. So a throttled request keeps its place and waits about as long
/// as its turn takes, where backing off by itself it would starve. Latency and failures other than 429 are no input:
/// they happen without a quota too. The algorithm was found by simulation; tests/retry/gate_simulation_test.cc repeats
/// it.
///
/// Pure: time and chance are given. One thread at a time; see GateKeeper for many.
class Gate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;
  /// A request's place in line; a repeated request keeps it. Lower ones go first.
  using Ticket = std::uint64_t;

  /// `random` is uniform in [0, 1).
  explicit Gate(std::function<double()> random) : random_(std::move(random)) {}

  /// Asks for the request to be sent now. Nothing: it is to be sent. Else it waits, and asks again after this time,
  /// which is when its turn comes if the rate and the line stay as they are, or when it is woken (FirstIsLate()).
  std::optional<Duration> Acquire(Ticket ticket, TimePoint now);
  /// It does not wait any more.
  void Leave(Ticket ticket);

  /// The request that was sent at `sent` has been answered with success.
  void OnSuccess(TimePoint sent, TimePoint now);
  /// It was throttled, in its `attempt` (from 1). Returns how long it is to wait before it asks again: no time where
  /// the gate is engaged, which is then the delay.
  Duration OnThrottled(TimePoint sent, TimePoint now, int attempt);
  /// It ended otherwise.
  void OnOther();

  [[nodiscard]] bool is_engaged() const { return is_engaged_; }
  /// Requests per second, while engaged.
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  /// 429s in all.
  [[nodiscard]] std::uint64_t throttled() const { return throttled_; }
  /// Since when there were 429s and no success; nothing where the last answer was a success.
  [[nodiscard]] std::optional<TimePoint> throttled_since() const { return throttled_since_; }
  /// Whether the first in line, which asks again at `asks_at`, has to be woken now: its turn comes earlier by more than
  /// a share of what lies between two requests. To be asked after each call that is not const. To wake a waiter costs
  /// as much as a third of a small read, so it happens only where waiting would lose the turn.
  [[nodiscard]] bool FirstIsLate(TimePoint asks_at, TimePoint now) const;

 private:
  struct Answer {
    TimePoint at;
    bool is_throttled;
  };
  void Engage(TimePoint now, double rate);
  void Cut(TimePoint now);
  void LeaveSlowStart(TimePoint now);
  void CollapseIfFlooded(TimePoint now);
  void Grow();
  void Remember(TimePoint now, bool is_throttled);
  void Pass(Ticket ticket, TimePoint now);
  [[nodiscard]] double PlaceOf(Ticket ticket) const;
  [[nodiscard]] double WindowRate(TimePoint now) const;
  double Uniform(double low, double high) { return low + (high - low) * random_(); }

  std::function<double()> random_;
  bool is_engaged_ = false;
  std::size_t in_flight_ = 0;
  std::deque<Answer> recent_;  // of the last second, while open
  std::size_t recent_throttled_ = 0;
  std::uint64_t throttled_ = 0;
  std::optional<TimePoint> throttled_since_;

  // While engaged:
  double rate_ = 0;
  double tokens_ = 0;
  TimePoint refilled_;
  bool is_slow_start_ = false;
  double quiet_ = 0;     // successes since the last cut, halved by each
  TimePoint last_cut_;   // answers to what was sent before are stale news
  TimePoint last_wait_;  // when a request last waited
  TimePoint window_start_;
  double window_successes_ = 0;
  double window_throttled_ = 0;
  std::set<Ticket> waiting_;
};

}  // namespace gcsflux::internal
