#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>

namespace gcsflux::internal {

/// Paces the requests that share a quota, once the service has shown that there is one. It finds a rate for this
/// process, without knowledge of the quota or of its other users.
///
/// While it is open, all requests pass. When throttled answers (429) are more than noise, it engages: requests then go
/// one by one, in the order in which they were first requested. Their rate grows exponentially while it is the limit,
/// and is cut by a share at each round of refusals. So a throttled request keeps its place, and waits about as long as
/// its turn takes. With its own backoff it would starve. Latency and failures other than 429 are not used, because they
/// also happen without a quota. The algorithm was found by simulation; tests/retry/gate_simulation_test.cc repeats it.
///
/// Pure: time and random numbers are arguments. For one thread at a time; see GateKeeper for several.
class Gate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;
  /// A request's place in the queue; a retry keeps it. Lower ones go first.
  using Ticket = std::uint64_t;

  /// `random` is uniform in [0, 1).
  explicit Gate(std::function<double()> random) : random_(std::move(random)) {}

  /// Asks to send the request now. Nothing means: send it. Otherwise wait for the returned time, or until woken
  /// (FirstIsLate()), and ask again. After this time its turn comes, if the rate and the queue do not change.
  std::optional<Duration> Acquire(Ticket ticket, TimePoint now);
  /// The request does not wait any more.
  void Leave(Ticket ticket);

  /// The request that was sent at `sent` has succeeded.
  void OnSuccess(TimePoint sent, TimePoint now);
  /// The request was throttled in its `attempt` (from 1). Returns how long it waits before it asks again. If the gate
  /// is engaged, that is 0, because the gate itself is the delay.
  Duration OnThrottled(TimePoint sent, TimePoint now, int attempt);
  /// The request ended in another way.
  void OnOther();

  [[nodiscard]] bool is_engaged() const { return is_engaged_; }
  /// Requests per second, while engaged.
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  /// 429s in all.
  [[nodiscard]] std::uint64_t throttled() const { return throttled_; }
  /// The start of the period with 429s and without success. Nothing if the last answer was a success.
  [[nodiscard]] std::optional<TimePoint> throttled_since() const { return throttled_since_; }
  /// Whether the first request in the queue, which asks again at `asks_at`, must be woken now, because its turn has
  /// become earlier. A small difference does not count: to wake a waiter costs as much as a third of a small read. Ask
  /// after each non-const call.
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
  TimePoint last_cut_;   // answers to earlier requests are outdated
  TimePoint last_wait_;  // when a request last waited
  TimePoint window_start_;
  double window_successes_ = 0;
  double window_throttled_ = 0;
  std::set<Ticket> waiting_;
};

}  // namespace gcsflux::internal
