#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "quotas/key_ranges.h"
#include "quotas/request_limits.h"

namespace gcsflux::emulator {

/// The limits on requests of one bucket, and of the ranges of its names. One thread.
class BucketQuota {
 public:
  struct Settings {
    RequestRates rates = {};  ///< The initial limits. They grow by this much with every split of a range.
    KeyRanges::Settings ranges = {};
  };

  BucketQuota(Clock::Time now, const Settings& settings) { Set(now, settings); }

  /// Levels and ranges stay.
  void Set(Clock::Time now, const Settings& settings);

  /// The limits for a request; valid as long as this exists and ranges have limits. The second is null if ranges have
  /// no limits.
  struct Limits {
    RequestLimit* bucket = nullptr;
    RequestLimit* range = nullptr;
  };
  /// Counts a request for `name`.
  Limits Record(Clock::Time now, bool is_write, const std::string& name);

  /// 0 if ranges have no limits.
  [[nodiscard]] std::size_t count_ranges() const { return ranges_ ? ranges_->size() : 0; }
  /// Whether it can be forgotten: it has not grown, and was not used since `time`.
  [[nodiscard]] bool is_as_new_since(Clock::Time time) const { return last_used_ < time && count_ranges() <= 1; }

 private:
  void SetOwnRates(Clock::Time now);

  Settings settings_;
  RequestLimits own_;
  std::optional<KeyRanges> ranges_;
  Clock::Time last_used_ = {};
};

}  // namespace gcsflux::emulator
