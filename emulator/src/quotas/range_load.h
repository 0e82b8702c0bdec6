#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// For how long a range of names has been near its limit, and where its load's middle is. Pure. One thread.
class RangeLoad {
 public:
  /// As many windows of a load that is near the limit, without a gap, ask for a split.
  static constexpr int kWindows = 20;

  struct Limits {
    double reads_per_second = 0;  ///< 0 is no limit.
    double writes_per_second = 0;
    std::chrono::nanoseconds window{0};
  };

  /// A request for `name` has come. The first one begins the first window.
  void Record(Clock::Time now, const Limits& limits, bool is_write, const std::string& name);

  [[nodiscard]] bool asks_for_split() const { return hot_windows_ >= kWindows; }
  /// The median of names that were asked for of late, and above the least of them; nothing where all are the same.
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
