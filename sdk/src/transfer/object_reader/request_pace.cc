#include "transfer/object_reader/request_pace.h"

#include <algorithm>

namespace gcsflux::internal {
namespace {

double Seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// The usual time until a first byte, by the least one.
double Usual(double least_s) {
  constexpr double kTimes = 4;
  // Loops and threads of this process need as much. Measured over a loopback: 0.4 to 1.4 ms.
  constexpr double kOwn = 1.5e-3;
  constexpr double kLeast = 1e-6;
  return kTimes * std::max(least_s - kOwn, kLeast);
}

}  // namespace

std::uint64_t EvenChunk(std::uint64_t total, std::uint64_t connections, std::uint64_t least, std::uint64_t most) {
  if (total <= least) return least;
  // In this order, nothing overflows.
  const std::uint64_t of_connection = (total - 1) / connections + 1;
  const std::uint64_t rounds = (of_connection - 1) / most + 1;
  return std::clamp((of_connection - 1) / rounds + 1, least, most);
}

void RequestPace::Note(std::chrono::nanoseconds first_byte, std::chrono::nanoseconds rest, std::uint64_t bytes) {
  constexpr double kWeight = 0.2;
  const auto mix = [](double& mean, double value) { mean = mean > 0 ? mean + kWeight * (value - mean) : value; };
  const double first = Seconds(first_byte);
  const MutexLock lock(mutex_);
  mix(first_byte_s_, first);
  least_first_byte_s_ = least_first_byte_s_ > 0 ? std::min(least_first_byte_s_, first) : first;
  constexpr std::uint64_t kTelling = 64U << 10;  // Less comes with the first byte.
  if (bytes >= kTelling && rest.count() > 0) mix(bytes_per_s_, static_cast<double>(bytes) / Seconds(rest));
}

std::optional<std::uint64_t> RequestPace::BytesPerFirstByte() const {
  const MutexLock lock(mutex_);
  if (bytes_per_s_ == 0) return std::nullopt;
  return BytesIn(first_byte_s_, bytes_per_s_);
}

std::optional<std::uint64_t> RequestPace::BytesPerQuickFirstByte() const {
  const MutexLock lock(mutex_);
  if (bytes_per_s_ > 0) return BytesIn(Usual(least_first_byte_s_), bytes_per_s_);
  if (!answer_) return std::nullopt;
  // It tells that a service is near, but not how fast a distant one is.
  constexpr double kAssumed = 100e6;
  return std::min(BytesIn(Usual(Seconds(*answer_)), kAssumed), kMostAssumedBytes);
}

std::uint64_t RequestPace::BytesIn(double seconds, double bytes_per_s) {
  constexpr double kMost = std::uint64_t{1} << 40;  // Sums and products of it stay in range.
  return static_cast<std::uint64_t>(std::min(seconds * bytes_per_s, kMost));
}

}  // namespace gcsflux::internal
