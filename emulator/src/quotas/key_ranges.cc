#include "quotas/key_ranges.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace gcsflux::emulator {
namespace {

double PerSecond(const std::optional<TokenRate>& rate) { return rate ? rate->per_second : 0; }

}  // namespace

KeyRanges::KeyRanges(Clock::Time now, const Settings& settings) {
  ranges_[""];
  Set(now, settings);
}

void KeyRanges::Set(Clock::Time now, const Settings& settings) {
  settings_ = settings;
  load_limits_ = {.reads_per_second = PerSecond(settings.rates.reads),
                  .writes_per_second = PerSecond(settings.rates.writes),
                  .window = std::max(settings.split_after / RangeLoad::kWindows, std::chrono::nanoseconds(1))};
  for (auto& [begin, range] : ranges_) range.limits.SetRates(now, settings.rates);
}

RequestLimits& KeyRanges::Record(Clock::Time now, bool is_write, const std::string& name) {
  auto range = Find(name);
  range->second.load.Record(now, load_limits_, is_write, name);
  if (range->second.load.asks_for_split()) {
    Split(now, range);
    range = Find(name);
  }
  range->second.limits.Of(is_write).Record(now);
  return range->second.limits;
}

KeyRanges::Ranges::iterator KeyRanges::Find(const std::string& name) { return std::prev(ranges_.upper_bound(name)); }

void KeyRanges::Split(Clock::Time now, Ranges::iterator range) {
  const std::optional<std::string> middle = range->second.load.Median();
  if (!middle) return;  // all of the load is on one name, so no split would help
  range->second.load = {};
  ranges_[*middle].limits.SetRates(now, settings_.rates);
}

}  // namespace gcsflux::emulator
