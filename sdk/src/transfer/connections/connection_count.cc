#include "transfer/connections/connection_count.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::internal {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kFirst = 64;
// A read counts as its bytes plus this number: until the network is full, a small read costs nearly as much as a large
// one.
constexpr double kReadWeight = 1 << 20;
// Twice the connections must be at least this much faster.
constexpr double kGain = 1.25;
// If a round was not faster, its number must be this much faster than the round before, which had three eighths as many
// connections on average.
constexpr double kConfirmedGain = 1.5;
// A round counts only if this share of the connections is in use.
constexpr double kInUse = 0.85;
constexpr milliseconds kShortestRound{10};
// While the number is held, rounds are longer, and so have less noise.
constexpr milliseconds kShortestHeldRound{200};
constexpr int kRoundsPerTrial = 4;
constexpr double kTrialStep = 1.25;
constexpr double kLeastTrialGain = 0.08;
constexpr milliseconds kLongestPause{30000};

}  // namespace

void ConnectionCount::Rates::Add(double rate) {
  ++rounds;
  const double off = rate - mean;
  // Of many rounds, the last ones count.
  const double share = 1.0 / std::min(rounds, 4 * kRoundsPerTrial);
  mean += off * share;
  squares = (1 - share) * (squares + off * off * share);
}

double ConnectionCount::Rates::Noise() const {
  if (rounds < 2 || mean <= 0) return 0;
  const double count = std::min(rounds, 4 * kRoundsPerTrial);
  return std::sqrt(squares / (count - 1)) / mean;
}

std::size_t ConnectionCount::First(std::size_t most) { return std::clamp<std::size_t>(most, 1, kFirst); }

ConnectionCount::ConnectionCount(std::size_t most) : most_(std::max<std::size_t>(1, most)), number_(First(most)) {}

void ConnectionCount::BeginRound(TimePoint now) { round_ = {.begin = now, .first_number = number_}; }

bool ConnectionCount::IsOver(TimePoint now) const {
  const bool is_held = phase_ == Phase::kHolding || phase_ == Phase::kTrying;
  return round_.reads >= round_.first_number && now - round_.begin >= (is_held ? kShortestHeldRound : kShortestRound);
}

void ConnectionCount::OnRead(const ReadDone& read) {
  // For the first read of all or after a pause, only its end is known.
  if (round_.first_number == 0) return BeginRound(read.at);
  if (read.in_flight <= 1 && number_ > 1) {
    round_ = {};
    return;
  }
  ++round_.reads;
  round_.weight += static_cast<double>(read.bytes) + kReadWeight;
  round_.used += static_cast<double>(std::min(read.in_flight, number_));
  round_.given += static_cast<double>(number_);
  round_.is_throttled = round_.is_throttled || read.is_throttled;
  const bool is_in_use = static_cast<double>(read.in_flight) >= kInUse * static_cast<double>(number_);
  if (phase_ == Phase::kGrowing && is_in_use && !round_.is_throttled) {
    number_ = std::min({most_, number_ + 1, 2 * round_.first_number});
  }
  if (!IsOver(read.at)) return;
  if (round_.is_throttled) {
    OnThrottled(read.at);
  } else if (round_.used >= kInUse * round_.given) {
    OnRound(round_.weight / std::chrono::duration<double>(read.at - round_.begin).count(), read.at);
  }
  BeginRound(read.at);
}

// Rates measured before throttling do not apply afterwards.
void ConnectionCount::OnThrottled(TimePoint now) {
  const bool is_trial = phase_ == Phase::kSettling || phase_ == Phase::kTrying;
  Hold(is_trial ? number_before_ : number_, now);
}

void ConnectionCount::OnRound(double rate, TimePoint now) {
  switch (phase_) {
    case Phase::kGrowing: return OnGrowth(rate);
    case Phase::kConfirming: return OnConfirmation(rate, now);
    case Phase::kHolding:
      held_.Add(rate);
      if (held_.rounds < kRoundsPerTrial || now < next_trial_ || number_ == most_) return;
      number_before_ = number_;
      number_ = std::min(most_, static_cast<std::size_t>(std::ceil(static_cast<double>(number_) * kTrialStep)));
      phase_ = Phase::kSettling;
      return;
    case Phase::kSettling:
      tried_ = {};
      phase_ = Phase::kTrying;
      return;
    case Phase::kTrying: return OnTrial(rate, now);
  }
}

void ConnectionCount::OnGrowth(double rate) {
  if (rate < kGain * rate_before_) {
    phase_ = Phase::kConfirming;
  } else {
    GrowFrom(rate);
  }
}

void ConnectionCount::GrowFrom(double rate) {
  phase_ = Phase::kGrowing;
  rate_before_ = rate;
  number_before_ = number_;
}

void ConnectionCount::OnConfirmation(double rate, TimePoint now) {
  if (rate >= kConfirmedGain * rate_before_) {
    GrowFrom(rate);
  } else {
    Hold(number_before_, now);
  }
}

void ConnectionCount::OnTrial(double rate, TimePoint now) {
  tried_.Add(rate);
  if (tried_.rounds < kRoundsPerTrial) return;
  const double gain = tried_.mean / held_.mean - 1;
  const double noise = std::hypot(held_.Noise(), tried_.Noise());
  if (gain > std::max(kLeastTrialGain, 2 * noise)) {
    pause_ = kFirstPause;
    GrowFrom(tried_.mean);
  } else {
    pause_ = std::min(2 * pause_, kLongestPause);
    Hold(number_before_, now);
  }
}

void ConnectionCount::Hold(std::size_t number, TimePoint now) {
  number_ = number;
  phase_ = Phase::kHolding;
  held_ = {};
  next_trial_ = now + pause_;
}

}  // namespace gcsflux::internal
