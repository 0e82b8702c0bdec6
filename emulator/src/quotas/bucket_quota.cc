#include "quotas/bucket_quota.h"

#include <algorithm>

namespace gcsflux::emulator {
namespace {

std::optional<TokenRate> Times(const std::optional<TokenRate>& rate, double times) {
  if (!rate) return std::nullopt;
  return TokenRate{rate->per_second * times, rate->depth * times};
}

}  // namespace

void BucketQuota::Set(Clock::Time now, const Settings& settings) {
  settings_ = settings;
  last_used_ = now;
  if (!settings.ranges.rates.any()) {
    ranges_.reset();
  } else if (ranges_) {
    ranges_->Set(now, settings.ranges);
  } else {
    ranges_.emplace(now, settings.ranges);
  }
  SetOwnRates(now);
}

BucketQuota::Limits BucketQuota::Record(Clock::Time now, bool is_write, const std::string& name) {
  last_used_ = now;
  Limits limits{.bucket = &own_.Of(is_write)};
  if (ranges_) {
    const std::size_t before = ranges_->size();
    limits.range = &ranges_->Record(now, is_write, name).Of(is_write);
    if (ranges_->size() != before) SetOwnRates(now);
  }
  limits.bucket->Record(now);
  return limits;
}

void BucketQuota::SetOwnRates(Clock::Time now) {
  const auto times = static_cast<double>(std::max<std::size_t>(1, count_ranges()));
  own_.SetRates(now, {.reads = Times(settings_.rates.reads, times), .writes = Times(settings_.rates.writes, times)});
}

}  // namespace gcsflux::emulator
