#include "retry/read_pace.h"

#include <algorithm>

#include "base/process/no_time_limit.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kFewBytes = ReadPace::kBlockBytes / 8;

}  // namespace

void ReadPace::OnFirstByte(Duration took) {
  const MutexLock lock(mutex_);
  first_byte_.Add(took);
}

void ReadPace::OnBody(std::size_t bytes, Duration took) {
  if (bytes < kFewBytes) return;
  const double blocks = static_cast<double>(bytes) / static_cast<double>(kBlockBytes);
  const MutexLock lock(mutex_);
  block_.Add(std::chrono::duration_cast<Duration>(took / blocks));
}

std::optional<ReadPace::Duration> ReadPace::FirstBytePatience() const {
  const MutexLock lock(mutex_);
  return Patience(first_byte_);
}

std::optional<ReadPace::Duration> ReadPace::BlockPatience() const {
  const MutexLock lock(mutex_);
  return Patience(block_);
}

std::optional<ReadPace::Duration> ReadPace::Patience(const RunningPercentile& usual) const {
  const auto estimate = usual.Estimate();
  if (!estimate) return std::nullopt;
  return std::max(InNanoseconds(*estimate * options_.stall_factor), InNanoseconds(options_.min_stall));
}

}  // namespace gcsflux::internal
