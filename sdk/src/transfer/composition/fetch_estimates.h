#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "transfer/composition/cost_model.h"
#include "transfer/download/direct_fetch.h"

namespace gcsflux::internal {

/// A running mean that forgets: each sample counts as much as the others at first, and a sixteenth later on.
class RunningMean {
 public:
  void Add(double sample);
  [[nodiscard]] std::optional<double> value() const { return count_ > 0 ? std::optional(mean_) : std::nullopt; }

 private:
  double mean_ = 0;
  int count_ = 0;
};

/// What requests have taken of late, by which composing is compared with reading directly. Thread-safe.
class FetchEstimates {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void NoteRead(const ReadTimes& times);
  void NoteDelete(std::chrono::nanoseconds took);
  /// A compose, from before its request to after its answer. One that takes long says so before it is over.
  [[nodiscard]] std::uint64_t BeginCompose(TimePoint now);
  /// `succeeded` is false where it says nothing about what a compose takes.
  void EndCompose(std::uint64_t id, TimePoint now, bool succeeded);

  struct Estimate {
    FetchCosts costs = {};         ///< What has not been measured yet is assumed, but for `compose`: 0.
    bool knows_compose = false;    ///< One was measured.
    double composing_for = 0;      ///< Seconds: for so long the oldest compose has been under way.
    TimePoint composed_last = {};  ///< The end of the last compose; the clock's origin where there was none.
  };
  [[nodiscard]] Estimate Get(TimePoint now) const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  RunningMean first_byte_;
  double stream_bytes_ = 0;  // Of the last reads, and the seconds that they took after their first bytes: both fade.
  double stream_seconds_ = 0;
  RunningMean compose_;
  RunningMean delete_;
  TimePoint composed_last_ = {};
  std::uint64_t next_compose_ = 0;
  std::map<std::uint64_t, TimePoint> composing_;
};

}  // namespace gcsflux::internal
