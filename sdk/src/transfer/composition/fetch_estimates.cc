#include "transfer/composition/fetch_estimates.h"

#include <algorithm>

namespace gcsflux::internal {
namespace {

constexpr int kMemory = 16;
// Assumed for reads that are not measured yet: those of a near region.
constexpr double kAssumedFirstByte = 0.05;
constexpr double kAssumedSecondsPerByte = 1 / 200e6;

double Seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void RunningMean::Add(double sample) {
  count_ = std::min(count_ + 1, kMemory);
  mean_ += (sample - mean_) / count_;
}

void FetchEstimates::NoteRead(const ReadTimes& times) {
  constexpr double kKept = 1.0 - 1.0 / kMemory;
  const MutexLock lock(mutex_);
  first_byte_.Add(Seconds(times.first_byte));
  stream_bytes_ = stream_bytes_ * kKept + static_cast<double>(times.bytes);
  stream_seconds_ = stream_seconds_ * kKept + Seconds(times.total - times.first_byte);
}

void FetchEstimates::NoteDelete(std::chrono::nanoseconds took) {
  const MutexLock lock(mutex_);
  delete_.Add(Seconds(took));
}

std::uint64_t FetchEstimates::BeginCompose(TimePoint now) {
  const MutexLock lock(mutex_);
  composing_.emplace(next_compose_, now);
  return next_compose_++;
}

void FetchEstimates::EndCompose(std::uint64_t id, TimePoint now, bool succeeded) {
  const MutexLock lock(mutex_);
  const auto begun = composing_.extract(id);
  if (begun.empty() || !succeeded) return;
  compose_.Add(Seconds(now - begun.mapped()));
  composed_last_ = now;
}

FetchEstimates::Estimate FetchEstimates::Get(TimePoint now) const {
  const MutexLock lock(mutex_);
  Estimate estimate;
  estimate.knows_compose = compose_.value().has_value();
  if (!composing_.empty()) estimate.composing_for = Seconds(now - composing_.begin()->second);
  estimate.composed_last = composed_last_;
  FetchCosts& costs = estimate.costs;
  costs.first_byte = first_byte_.value().value_or(kAssumedFirstByte);
  costs.seconds_per_byte = stream_bytes_ > 0 ? stream_seconds_ / stream_bytes_ : kAssumedSecondsPerByte;
  costs.compose = compose_.value().value_or(0);
  costs.remove = delete_.value().value_or(costs.first_byte);
  return estimate;
}

}  // namespace gcsflux::internal
