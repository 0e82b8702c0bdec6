#include "shaping/stream_pacer.h"

#include <algorithm>

namespace gcsflux::emulator {
StreamPacer::StreamPacer(LiveShaping& shaping, Direction direction, const std::string& bucket)
    : shaping_(shaping), direction_(direction), shared_(shaping.BucketPacer(direction, bucket)) {
  shaping_.streams().fetch_add(1, std::memory_order_relaxed);
}

StreamPacer::~StreamPacer() { shaping_.streams().fetch_sub(1, std::memory_order_relaxed); }

StreamPacer::Slice StreamPacer::Take(Clock::Time now, std::size_t left) {
  const StreamRates rates = shaping_.RatesOf(direction_);
  if (!rates.any()) return {left, now};
  Slice slice{std::min(shaping_.SliceBytes(direction_), left), now};
  if (rates.stream != 0) slice.at = own_.Reserve(now, slice.bytes, rates.stream);
  if (rates.bucket != 0) slice.at = std::max(slice.at, shared_->Reserve(now, slice.bytes, rates.bucket));
  return slice;
}

}  // namespace gcsflux::emulator
