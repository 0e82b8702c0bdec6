#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

#include "base/fork.h"
#include "gcsflux/options.h"
#include "retry/running_percentile.h"

namespace gcsflux::internal {

/// What a client's reads are used to, and so when one of them stands still. Thread-safe.
class ReadPace {
 public:
  using Duration = std::chrono::nanoseconds;

  /// A stream's rate is judged by the time that so many bytes of it take.
  static constexpr std::size_t kBlockBytes = 256U << 10;

  explicit ReadPace(const HedgeOptions& options) : options_(options) {}

  /// From the request to its answer's head; what has passed so far where no head will come.
  void OnFirstByte(Duration took);
  /// `bytes` of a body one behind the other; few of them tell nothing.
  void OnBody(std::size_t bytes, Duration took);

  /// How long a read waits for its first byte before it counts as standing still; nothing while too little is known.
  [[nodiscard]] std::optional<Duration> FirstBytePatience() const;
  /// The same for the next kBlockBytes.
  [[nodiscard]] std::optional<Duration> BlockPatience() const;

 private:
  [[nodiscard]] std::optional<Duration> Patience(const RunningPercentile& usual) const;

  const HedgeOptions options_;
  mutable ForkSafeMutex mutex_;  // guards what follows
  RunningPercentile first_byte_{0.95};
  RunningPercentile block_{0.95};
};

}  // namespace gcsflux::internal
