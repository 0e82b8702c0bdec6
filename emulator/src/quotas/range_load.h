#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// How long a range of names has been near its limit, and the median of its load. Pure. One thread.
class RangeLoad {
 public:
  /// After so many windows near the limit, without a gap, a range is split.
  static constexpr int kWindows = 20;

  struct Limits {
    double reads_per_second = 0;  ///< 0 is no limit.
    double writes_per_second = 0;
    std::chrono::nanoseconds window{0};
  };

  /// Counts a request for `name`. The first one starts the first window.
  void Record(Clock::Time now, const Limits& limits, bool is_write, const std::string& name);

  [[nodiscard]] bool asks_for_split() const { return hot_windows_ >= kWindows; }
  /// The median of recent names, if it is above the smallest of them. Nothing if all are the same.
  [[nodiscard]] std::optional<std::string> Median() const;

 private:
  void CloseWindow(const Limits& limits);
  void Sample(const std::string& name);

  std::optional<Clock::Time> window_begin_;
  std::array<std::uint64_t, 2> requests_ = {};  // of the window: reads, writes
  int hot_windows_ = 0;
  std::uint64_t sampled_from_ = 0;  // names since the load was last away from the limit
  std::vector<std::string> sample_;
};

}  // namespace gcsflux::emulator
