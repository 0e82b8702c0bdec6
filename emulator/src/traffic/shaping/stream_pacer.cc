#include "traffic/shaping/stream_pacer.h"

#include <algorithm>

namespace gcsflux::emulator {
namespace {

using std::chrono::duration;

// A slice of a lone stream takes 1 ms, so that one more or less in a window of 50 ms is 2 % of it. With many streams
// the slices grow, so that all of them together wake at most 10,000 times per second: each of these costs some
// microseconds.
constexpr double kLeastSliceSeconds = 0.001;
constexpr double kMostSliceSeconds = 0.05;
constexpr double kMostWakeUpsPerSecond = 10'000;

double SliceSeconds(std::size_t streams) {
  return std::clamp(static_cast<double>(streams) / kMostWakeUpsPerSecond, kLeastSliceSeconds, kMostSliceSeconds);
}

// Of a stream that has this rate, or none where nothing limits it.
double LowestRate(const StreamRates& rates) {
  if (rates.stream == 0 || rates.bucket == 0) return std::max(rates.stream, rates.bucket);
  return std::min(rates.stream, rates.bucket);
}

}  // namespace

StreamPacer::StreamPacer(LiveShaping& shaping, Direction direction, const std::string& bucket)
    : shaping_(shaping), direction_(direction), shared_(shaping.BucketPacer(direction, bucket)) {
  shaping_.streams().fetch_add(1, std::memory_order_relaxed);
}

StreamPacer::~StreamPacer() { shaping_.streams().fetch_sub(1, std::memory_order_relaxed); }

StreamPacer::Slice StreamPacer::Take(Clock::Time now, std::size_t left) {
  const StreamRates rates = shaping_.RatesOf(direction_);
  const double lowest = LowestRate(rates);
  if (lowest == 0) return {left, now};
  const double wanted = std::max(1.0, lowest * SliceSeconds(shaping_.streams().load(std::memory_order_relaxed)));
  Slice slice{static_cast<std::size_t>(std::min(wanted, static_cast<double>(left))), now};
  if (rates.stream != 0) slice.at = own_.Reserve(now, slice.bytes, rates.stream);
  if (rates.bucket != 0) slice.at = std::max(slice.at, shared_->Reserve(now, slice.bytes, rates.bucket));
  return slice;
}

std::size_t StreamPacer::slice_bytes() const {
  const double seconds = SliceSeconds(shaping_.streams().load(std::memory_order_relaxed));
  return static_cast<std::size_t>(LowestRate(shaping_.RatesOf(direction_)) * seconds);
}

}  // namespace gcsflux::emulator
