#include "quotas/keyed_buckets.h"

#include <algorithm>

namespace gcsflux::emulator {

void KeyedBuckets::SetRate(Clock::Time now, std::optional<TokenRate> rate) {
  rate_ = rate;
  if (!rate) return Clear();
  for (auto& [key, bucket] : buckets_) bucket.SetRate(now, *rate);
}

bool KeyedBuckets::HasToken(Clock::Time now, const std::string& key) const {
  const auto found = buckets_.find(key);
  return found == buckets_.end() || found->second.HasToken(now);
}

void KeyedBuckets::Take(Clock::Time now, const std::string& key) {
  if (rate_) Find(now, key).Take(now, 1);
}

void KeyedBuckets::TakeThoughRefused(Clock::Time now, const std::string& key) {
  if (rate_) Find(now, key).TakeAtMostDepth(now, 1);
}

TokenBucket& KeyedBuckets::Find(Clock::Time now, const std::string& key) {
  if (buckets_.size() >= prune_at_) {
    std::erase_if(buckets_, [&](const auto& entry) { return entry.second.is_full(now); });
    prune_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
  }
  return buckets_.try_emplace(key, *rate_).first->second;
}

}  // namespace gcsflux::emulator
