#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "quotas/token_bucket.h"

namespace gcsflux::emulator {

/// A token bucket of one rate for each name that is used. It forgets full ones, which equal new ones. One thread.
class KeyedBuckets {
 public:
  /// Without a rate, every name gets what it asks for.
  void SetRate(Clock::Time now, std::optional<TokenRate> rate);
  void Clear() { buckets_.clear(); }
  [[nodiscard]] std::size_t size() const { return buckets_.size(); }

  [[nodiscard]] bool HasToken(Clock::Time now, const std::string& key) const;
  void Take(Clock::Time now, const std::string& key);
  /// See TokenBucket::TakeAtMostDepth().
  void TakeThoughRefused(Clock::Time now, const std::string& key);

 private:
  TokenBucket& Find(Clock::Time now, const std::string& key);

  std::optional<TokenRate> rate_;
  std::unordered_map<std::string, TokenBucket> buckets_;
  std::size_t prune_at_ = 1024;
};

}  // namespace gcsflux::emulator
