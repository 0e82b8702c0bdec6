#pragma once

#include <chrono>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// How fast a token bucket fills, and how many tokens it holds: at least one.
struct TokenRate {
  double per_second = 1;
  double depth = 1;

  /// A depth of what the rate gives in that time, and at least one token.
  static TokenRate Of(double per_second, double depth_ms);
};

/// Tokens that arrive at a rate. The state is one time: when the bucket will be full again. So no rounding adds up, and
/// a refused request changes nothing. Full at first. One thread.
class TokenBucket {
 public:
  explicit TokenBucket(TokenRate rate) : rate_(rate) {}

  /// Keeps what is missing now; at most all of the new depth.
  void SetRate(Clock::Time now, TokenRate rate);

  [[nodiscard]] bool HasToken(Clock::Time now) const;
  /// Whether anything at all is left.
  [[nodiscard]] bool HasCredit(Clock::Time now) const;
  [[nodiscard]] bool is_full(Clock::Time now) const { return full_at_ <= now; }

  /// Takes what there is, and owes the rest.
  void Take(Clock::Time now, double tokens);
  /// The same, but never owes more than the depth.
  void TakeAtMostDepth(Clock::Time now, double tokens);

 private:
  [[nodiscard]] double Missing(Clock::Time now) const;  // tokens
  void SetMissing(Clock::Time now, double tokens);

  TokenRate rate_;
  Clock::Time full_at_ = {};
};

}  // namespace gcsflux::emulator
