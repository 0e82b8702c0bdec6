#include "transfer/object_reader/request_pace.h"

#include <algorithm>

namespace gcsflux::internal {

std::uint64_t EvenChunk(std::uint64_t total, std::uint64_t connections, std::uint64_t least, std::uint64_t most) {
  if (total <= least) return least;
  // In this order, nothing overflows.
  const std::uint64_t of_connection = (total - 1) / connections + 1;
  const std::uint64_t rounds = (of_connection - 1) / most + 1;
  return std::clamp((of_connection - 1) / rounds + 1, least, most);
}

void RequestPace::Note(std::chrono::nanoseconds first_byte, std::chrono::nanoseconds rest, std::uint64_t bytes) {
  constexpr double kWeight = 0.2;
  const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  const auto mix = [](double& mean, double value) { mean = mean > 0 ? mean + kWeight * (value - mean) : value; };
  const MutexLock lock(mutex_);
  mix(first_byte_s_, seconds(first_byte));
  least_first_byte_s_ =
      least_first_byte_s_ > 0 ? std::min(least_first_byte_s_, seconds(first_byte)) : seconds(first_byte);
  constexpr std::uint64_t kTelling = 64U << 10;  // Less comes with the first byte.
  if (bytes >= kTelling && rest.count() > 0) mix(bytes_per_s_, static_cast<double>(bytes) / seconds(rest));
}

std::optional<std::uint64_t> RequestPace::BytesPerFirstByte() const {
  const MutexLock lock(mutex_);
  return BytesIn(first_byte_s_);
}

std::optional<std::uint64_t> RequestPace::BytesPerQuickFirstByte() const {
  constexpr double kUsual = 4;
  const MutexLock lock(mutex_);
  return BytesIn(kUsual * least_first_byte_s_);
}

std::optional<std::uint64_t> RequestPace::BytesIn(double seconds) const {
  constexpr double kMost = std::uint64_t{1} << 40;  // Sums and products of it stay in range.
  if (seconds == 0 || bytes_per_s_ == 0) return std::nullopt;
  return static_cast<std::uint64_t>(std::min(seconds * bytes_per_s_, kMost));
}

}  // namespace gcsflux::internal
