#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "base/process/mutex.h"
#include "transfer/composition/cost_model.h"
#include "transfer/read/pinned_object.h"

namespace gcsflux::internal {

/// A running mean that forgets: at first each sample counts the same; later a new one counts a sixteenth.
class RunningMean {
 public:
  void Add(double sample);
  [[nodiscard]] std::optional<double> value() const { return count_ > 0 ? std::optional(mean_) : std::nullopt; }

 private:
  double mean_ = 0;
  int count_ = 0;
};

/// Recent durations of requests, for the comparison of composing with direct reads. Thread-safe.
class FetchEstimates {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void NoteRead(const ReadTimes& times);
  void NoteDelete(std::chrono::nanoseconds took);
  /// A compose begins, before its request is sent. If it takes long, the estimate shows that before it ends.
  [[nodiscard]] std::uint64_t BeginCompose(TimePoint now);
  /// `succeeded` is false if the duration says nothing about composes.
  void EndCompose(std::uint64_t id, TimePoint now, bool succeeded);

  struct Estimate {
    FetchCosts costs = {};         ///< Durations that are not measured yet are assumed, except `compose`, which is 0.
    bool knows_compose = false;    ///< A compose was measured.
    double composing_for = 0;      ///< Seconds since the oldest compose in progress began.
    TimePoint composed_last = {};  ///< End of the last compose; the clock's origin if there was none.
  };
  [[nodiscard]] Estimate Get(TimePoint now) const;

 private:
  mutable Mutex mutex_;
  RunningMean first_byte_ GUARDED_BY(mutex_);
  // Bytes of recent reads, and the seconds that they took after their first bytes; both fade.
  double stream_bytes_ GUARDED_BY(mutex_) = 0;
  double stream_seconds_ GUARDED_BY(mutex_) = 0;
  RunningMean compose_ GUARDED_BY(mutex_);
  RunningMean delete_ GUARDED_BY(mutex_);
  TimePoint composed_last_ GUARDED_BY(mutex_) = {};
  std::uint64_t next_compose_ GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, TimePoint> composing_ GUARDED_BY(mutex_);
};

}  // namespace gcsflux::internal
