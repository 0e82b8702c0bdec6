#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gcsflux/emulator/shaping.h"
#include "shaping/latency_sampler.h"
#include "shaping/pacer.h"

namespace gcsflux::emulator {

enum class Direction { kRead, kWrite };

/// Bytes per second; 0 for no limit.
struct StreamRates {
  double stream = 0;
  double bucket = 0;

  [[nodiscard]] bool any() const { return stream != 0 || bucket != 0; }
};

/// A pacer for all streams of a bucket in one direction. Thread-safe.
class SharedPacer {
 public:
  Clock::Time Reserve(Clock::Time now, std::uint64_t bytes, double bytes_per_second) {
    const std::scoped_lock lock(mutex_);
    return pacer_.Reserve(now, bytes, bytes_per_second);
  }

 private:
  std::mutex mutex_;  // guards pacer_
  Pacer pacer_;
};

/// The present shaping, and the state that requests share because of it. Thread-safe.
class LiveShaping final : public ShapingControl {
 public:
  /// Throws std::invalid_argument.
  explicit LiveShaping(const Shaping& initial);

  /// `listener` is called now and after every change. It gets the bytes of a lone upload's slice, or 0 if uploads have
  /// no limit. Must be called before the first change.
  void OnWriteLimit(std::function<void(std::size_t)> listener);

  void Set(const Shaping& shaping) override;
  [[nodiscard]] Shaping Get() const override { return *Read(); }
  /// Returns to the state at the start.
  void Reset();

  [[nodiscard]] bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::shared_ptr<const Shaping> Read() const;
  [[nodiscard]] StreamRates RatesOf(Direction direction) const;
  /// How many bytes of a stream go at once, given the present number of streams; 0 for no limit.
  [[nodiscard]] std::size_t SliceBytes(Direction direction) const;
  [[nodiscard]] LatencySampler& sampler() { return sampler_; }

  std::shared_ptr<SharedPacer> BucketPacer(Direction direction, const std::string& bucket);
  /// How many streams are paced now.
  std::atomic<std::size_t>& streams() { return streams_; }

 private:
  void Store(const Shaping& shaping);
  void TellWriteLimit() const;

  const Shaping initial_;
  std::atomic<bool> is_on_ = false;
  std::array<std::atomic<double>, 2> stream_rates_ = {};  // by direction
  std::array<std::atomic<double>, 2> bucket_rates_ = {};
  std::atomic<std::size_t> streams_ = 0;
  LatencySampler sampler_;

  std::function<void(std::size_t)> on_write_limit_;

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const Shaping> shaping_;
  std::map<std::pair<Direction, std::string>, std::weak_ptr<SharedPacer>> bucket_pacers_;
};

}  // namespace gcsflux::emulator
