#include "shaping/live_shaping.h"

#include <algorithm>
#include <utility>

#include "shaping/shaping_settings.h"

namespace gcsflux::emulator {
namespace {

double BytesPerSecond(const std::optional<double>& megabytes) { return megabytes.value_or(0) * 1e6; }

// A slice of a lone stream takes 1 ms, so one slice more or less in a window of 50 ms is 2 % of it. With many streams
// the slices grow. All streams together wake at most 10,000 times per second, and each wake costs some microseconds.
constexpr double kLeastSliceSeconds = 0.001;
constexpr double kMostSliceSeconds = 0.05;
constexpr double kMostWakeUpsPerSecond = 10'000;

double SliceSeconds(std::size_t streams) {
  return std::clamp(static_cast<double>(streams) / kMostWakeUpsPerSecond, kLeastSliceSeconds, kMostSliceSeconds);
}

double LowestRate(const StreamRates& rates) {
  if (rates.stream == 0 || rates.bucket == 0) return std::max(rates.stream, rates.bucket);
  return std::min(rates.stream, rates.bucket);
}

std::size_t Index(Direction direction) { return direction == Direction::kRead ? 0 : 1; }

}  // namespace

LiveShaping::LiveShaping(const Shaping& initial) : initial_(initial) { Set(initial); }

void LiveShaping::Set(const Shaping& shaping) {
  CheckShaping(shaping);
  Store(shaping);
  TellWriteLimit();
}

void LiveShaping::Reset() {
  Store(initial_);
  TellWriteLimit();
  sampler_.Reset();
}

void LiveShaping::OnWriteLimit(std::function<void(std::size_t)> listener) {
  on_write_limit_ = std::move(listener);
  TellWriteLimit();
}

void LiveShaping::TellWriteLimit() const {
  if (on_write_limit_) on_write_limit_(SliceBytes(Direction::kWrite));
}

std::size_t LiveShaping::SliceBytes(Direction direction) const {
  const StreamRates rates = RatesOf(direction);
  if (!rates.any()) return 0;
  const double bytes = LowestRate(rates) * SliceSeconds(streams_.load(std::memory_order_relaxed));
  return std::max<std::size_t>(1, static_cast<std::size_t>(bytes));
}

void LiveShaping::Store(const Shaping& shaping) {
  auto stored = std::make_shared<const Shaping>(shaping);
  Shaping nothing;
  nothing.seed = shaping.seed;
  const std::scoped_lock lock(mutex_);
  shaping_ = std::move(stored);
  stream_rates_[Index(Direction::kRead)] = BytesPerSecond(shaping.stream_read_mbps);
  stream_rates_[Index(Direction::kWrite)] = BytesPerSecond(shaping.stream_write_mbps);
  bucket_rates_[Index(Direction::kRead)] = BytesPerSecond(shaping.bucket_read_mbps);
  bucket_rates_[Index(Direction::kWrite)] = BytesPerSecond(shaping.bucket_write_mbps);
  is_on_ = shaping != nothing;
}

std::shared_ptr<const Shaping> LiveShaping::Read() const {
  const std::scoped_lock lock(mutex_);
  return shaping_;
}

StreamRates LiveShaping::RatesOf(Direction direction) const {
  return {stream_rates_[Index(direction)].load(std::memory_order_relaxed),
          bucket_rates_[Index(direction)].load(std::memory_order_relaxed)};
}

std::shared_ptr<SharedPacer> LiveShaping::BucketPacer(Direction direction, const std::string& bucket) {
  const std::scoped_lock lock(mutex_);
  std::weak_ptr<SharedPacer>& known = bucket_pacers_[{direction, bucket}];
  if (auto pacer = known.lock()) return pacer;
  auto pacer = std::make_shared<SharedPacer>();
  known = pacer;
  std::erase_if(bucket_pacers_, [](const auto& entry) { return entry.second.expired(); });
  return pacer;
}

}  // namespace gcsflux::emulator
