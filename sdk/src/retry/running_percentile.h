#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace gcsflux::internal {

/// A percentile of recent durations: a histogram whose bins grow by 9 %. Every 1000 new durations halve the older ones.
/// An estimate is up to one bin too long, and up to 15 durations old. Not thread-safe.
class RunningPercentile {
 public:
  /// `percentile` in (0, 1): the share of durations that are not longer.
  explicit RunningPercentile(double percentile) : percentile_(percentile) {}

  void Add(std::chrono::nanoseconds duration);
  /// Nothing before 20 durations are known.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> Estimate() const { return estimate_; }

 private:
  [[nodiscard]] std::optional<std::chrono::nanoseconds> FromBins() const;

  static constexpr std::size_t kBins = 240;  // of 2^(1/8), from 1 us to 18 minutes

  const double percentile_;
  std::array<float, kBins> bins_ = {};
  double total_ = 0;
  int since_halved_ = 0;
  std::optional<std::chrono::nanoseconds> estimate_;
};

}  // namespace gcsflux::internal
