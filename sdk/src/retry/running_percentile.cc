#include "retry/running_percentile.h"

#include <algorithm>
#include <cmath>

namespace gcsflux::internal {
namespace {

constexpr double kEnough = 20;
constexpr int kHalveAfter = 1000;
constexpr int kEstimateAfter = 16;  // An estimate costs as much as ten durations.
constexpr double kBinsPerDoubling = 8;
constexpr double kShortestNanoseconds = 1000;

}  // namespace

void RunningPercentile::Add(std::chrono::nanoseconds duration) {
  const double ratio = static_cast<double>(duration.count()) / kShortestNanoseconds;
  const double bin = ratio <= 1 ? 0 : std::floor(kBinsPerDoubling * std::log2(ratio));
  bins_[std::min(static_cast<std::size_t>(bin), kBins - 1)] += 1;
  total_ += 1;
  if (++since_halved_ >= kHalveAfter) {
    since_halved_ = 0;
    total_ /= 2;
    for (float& count : bins_) count /= 2;
  }
  if (total_ == kEnough || since_halved_ % kEstimateAfter == 0) estimate_ = FromBins();
}

std::optional<std::chrono::nanoseconds> RunningPercentile::FromBins() const {
  if (total_ < kEnough) return std::nullopt;
  double seen = 0;
  std::size_t bin = 0;
  while (bin + 1 < kBins && (seen += bins_[bin]) < percentile_ * total_) ++bin;
  const double end = kShortestNanoseconds * std::exp2(static_cast<double>(bin + 1) / kBinsPerDoubling);
  return std::chrono::nanoseconds(std::llround(end));
}

}  // namespace gcsflux::internal
