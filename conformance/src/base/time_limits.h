#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace gcsflux::conformance {

/// How long a case, its cleaning and the whole run may take. One thread.
class TimeLimits {
 public:
  using Clock = std::chrono::steady_clock;

  /// The run begins now.
  TimeLimits(
      Clock::duration per_case, Clock::duration per_run,
      std::function<Clock::time_point()> now = [] { return Clock::now(); })
      : per_case_(per_case), now_(std::move(now)), run_end_(now_() + per_run), end_(run_end_) {}

  void BeginCase() { end_ = std::min(now_() + per_case_, run_end_); }
  /// A case's cleaning has as much time as its steps, also if the run's time is over.
  void BeginCleaning() { end_ = now_() + per_case_; }

  /// What is left of what was begun last; 0 if its time is over.
  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::max(end_ - now_(), Clock::duration::zero()));
  }
  [[nodiscard]] bool is_run_over() const { return now_() >= run_end_; }

 private:
  const Clock::duration per_case_;
  const std::function<Clock::time_point()> now_;
  const Clock::time_point run_end_;
  Clock::time_point end_;
};

}  // namespace gcsflux::conformance
