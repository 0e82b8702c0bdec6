#pragma once

#include <optional>

#include "quotas/rate_meter.h"
#include "quotas/token_bucket.h"

namespace gcsflux::emulator {

/// An optional limit on one kind of requests, and how near it they are. One thread.
class RequestLimit {
 public:
  void SetRate(Clock::Time now, std::optional<TokenRate> rate) {
    if (bucket_ && rate) {
      bucket_->SetRate(now, *rate);
    } else {
      bucket_ = rate ? std::optional<TokenBucket>(*rate) : std::nullopt;
    }
    per_second_ = rate ? rate->per_second : 0;
  }

  /// Counts a request, whether it is served or not.
  void Record(Clock::Time now) { meter_.Record(now); }
  [[nodiscard]] bool HasToken(Clock::Time now) const { return !bucket_ || bucket_->HasToken(now); }
  void Take(Clock::Time now) {
    if (bucket_) bucket_->Take(now, 1);
  }
  void TakeThoughRefused(Clock::Time now) {
    if (bucket_) bucket_->TakeAtMostDepth(now, 1);
  }

  /// The rate of the last second as a share of the limit; 0 if there is none.
  [[nodiscard]] double load() const { return bucket_ ? meter_.per_second() / per_second_ : 0; }
  [[nodiscard]] double per_second() const { return per_second_; }

 private:
  std::optional<TokenBucket> bucket_;
  double per_second_ = 0;
  RateMeter meter_;
};

/// Reads and writes have separate limits.
struct RequestRates {
  std::optional<TokenRate> reads = {};
  std::optional<TokenRate> writes = {};

  [[nodiscard]] bool any() const { return reads.has_value() || writes.has_value(); }
};

struct RequestLimits {
  void SetRates(Clock::Time now, const RequestRates& rates) {
    reads.SetRate(now, rates.reads);
    writes.SetRate(now, rates.writes);
  }
  RequestLimit& Of(bool is_write) { return is_write ? writes : reads; }

  RequestLimit reads = {};
  RequestLimit writes = {};
};

}  // namespace gcsflux::emulator
