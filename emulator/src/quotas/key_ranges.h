#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "quotas/range_load.h"
#include "quotas/request_limits.h"

namespace gcsflux::emulator {

/// A bucket's names, split into ranges with limits of their own. One thread.
///
/// A range is split when it was near its limit for all of `split_after`. So each part is at least that old before it is
/// split again, and a bucket's capacity at most doubles in that time. Names of a new prefix fall into one range, which
/// grows like any other.
class KeyRanges {
 public:
  struct Settings {
    RequestRates rates = {};  ///< Of each range.
    std::chrono::nanoseconds split_after{0};
  };

  KeyRanges(Clock::Time now, const Settings& settings);

  /// Ranges and levels stay.
  void Set(Clock::Time now, const Settings& settings);

  /// Counts a request for `name`. Returns the limits of its range, which may be new. No range goes.
  RequestLimits& Record(Clock::Time now, bool is_write, const std::string& name);

  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    RequestLimits limits = {};
    RangeLoad load = {};
  };
  using Ranges = std::map<std::string, Range>;  // by the smallest name

  Ranges::iterator Find(const std::string& name);
  void Split(Clock::Time now, Ranges::iterator range);

  Settings settings_;
  RangeLoad::Limits load_limits_;
  Ranges ranges_;
};

}  // namespace gcsflux::emulator
