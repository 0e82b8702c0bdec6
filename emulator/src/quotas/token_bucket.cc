#include "quotas/token_bucket.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::emulator {
namespace {

// Half a nanosecond's worth of tokens: times are whole nanoseconds, rates are not.
double Tolerance(const TokenRate& rate) { return rate.per_second * 0.6e-9; }

constexpr double kLongestWait = 3e18;  // nanoseconds, about a century

}  // namespace

TokenRate TokenRate::Of(double per_second, double depth_ms) {
  return {per_second, std::max(1.0, per_second * depth_ms / 1000)};
}

void TokenBucket::SetRate(Clock::Time now, TokenRate rate) {
  const double missing = Missing(now);
  rate_ = rate;
  SetMissing(now, std::min(missing, rate.depth));
}

bool TokenBucket::HasToken(Clock::Time now) const { return Missing(now) <= rate_.depth - 1 + Tolerance(rate_); }
bool TokenBucket::HasCredit(Clock::Time now) const { return Missing(now) < rate_.depth - Tolerance(rate_); }

void TokenBucket::Take(Clock::Time now, double tokens) {
  const double takes = std::min(tokens * 1e9 / rate_.per_second, kLongestWait);
  full_at_ = std::max(full_at_, now) + std::chrono::nanoseconds(std::llround(takes));
}

void TokenBucket::TakeAtMostDepth(Clock::Time now, double tokens) {
  SetMissing(now, std::min(Missing(now) + tokens, 2 * rate_.depth));
}

double TokenBucket::Missing(Clock::Time now) const {
  return std::chrono::duration<double>(std::max(full_at_ - now, Clock::Time::duration(0))).count() * rate_.per_second;
}

void TokenBucket::SetMissing(Clock::Time now, double tokens) {
  const double takes = std::min(tokens * 1e9 / rate_.per_second, kLongestWait);
  full_at_ = now + std::chrono::nanoseconds(std::llround(takes));
}

}  // namespace gcsflux::emulator
