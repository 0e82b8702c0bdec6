#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

#include "base/process/mutex.h"
#include "retry/running_percentile.h"

namespace gcsflux::internal {

/// The members of ClientOptions with these names, which describe them.
struct HedgeOptions {
  double budget = 0;
  double stall_factor = 1;
  std::chrono::milliseconds min_stall{1};
};

/// The usual times of a client's reads, which tell when a read stalls. Thread-safe.
class ReadPace {
 public:
  using Duration = std::chrono::nanoseconds;

  /// A stream's rate is measured by the time for this many bytes.
  static constexpr std::size_t kBlockBytes = 256U << 10;

  explicit ReadPace(const HedgeOptions& options) : options_(options) {}

  /// The time from the request to the answer's head, or so far if no head will come.
  void OnFirstByte(Duration took);
  /// `bytes` of a body in a row. Few bytes give no information.
  void OnBody(std::size_t bytes, Duration took);

  /// How long a read waits for its first byte before it counts as stalled. Nothing while too little is known.
  [[nodiscard]] std::optional<Duration> FirstBytePatience() const;
  /// The same for the next kBlockBytes.
  [[nodiscard]] std::optional<Duration> BlockPatience() const;

 private:
  [[nodiscard]] std::optional<Duration> Patience(const RunningPercentile& usual) const;

  const HedgeOptions options_;
  mutable LeafMutex mutex_;
  RunningPercentile first_byte_ GUARDED_BY(mutex_){0.95};
  RunningPercentile block_ GUARDED_BY(mutex_){0.95};
};

}  // namespace gcsflux::internal
