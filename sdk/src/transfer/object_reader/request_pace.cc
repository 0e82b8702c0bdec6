#include "transfer/object_reader/request_pace.h"

#include <algorithm>

namespace gcsflux::internal {

void RequestPace::Note(std::chrono::nanoseconds first_byte, std::chrono::nanoseconds rest, std::uint64_t bytes) {
  constexpr double kWeight = 0.2;
  const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  const auto mix = [](double& mean, double value) { mean = mean > 0 ? mean + kWeight * (value - mean) : value; };
  const std::scoped_lock lock(mutex_);
  mix(first_byte_s_, seconds(first_byte));
  constexpr std::uint64_t kTelling = 64U << 10;  // Less comes with the first byte.
  if (bytes >= kTelling && rest.count() > 0) mix(bytes_per_s_, static_cast<double>(bytes) / seconds(rest));
}

std::optional<std::uint64_t> RequestPace::BytesPerFirstByte() const {
  constexpr double kLeast = 16U << 10;
  constexpr double kMost = 2U << 20;
  const std::scoped_lock lock(mutex_);
  if (first_byte_s_ == 0 || bytes_per_s_ == 0) return std::nullopt;
  return static_cast<std::uint64_t>(std::clamp(first_byte_s_ * bytes_per_s_, kLeast, kMost));
}

}  // namespace gcsflux::internal
