#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

namespace gcsflux::campaign {

/// Randomness from the seed, the same on every machine. One thread at a time.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t Number() { return engine_(); }
  /// 0 to bound - 1.
  std::size_t Below(std::size_t bound) { return engine_() % bound; }
  bool OneIn(std::size_t times) { return Below(times) == 0; }
  template <class T>
  const T& OneOf(const std::vector<T>& all) {
    return all[Below(all.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// A stop_token that requests a stop at some time during one in twenty calls, and never in the others.
class RandomStop {
 public:
  /// Only Stop() asks.
  RandomStop() = default;
  explicit RandomStop(Chance& chance) {
    if (!chance.OneIn(20)) return;
    const std::chrono::microseconds delay(std::int64_t{1} << chance.Below(16));  // most of them before it is over
    timer_ = std::jthread([this, delay](const std::stop_token& is_over) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any().wait_for(lock, is_over, delay, [] { return false; });
      source_.request_stop();
    });
  }

  void Stop() { source_.request_stop(); }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  [[nodiscard]] bool is_stopped() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  std::jthread timer_;  // after the members that it uses
};

}  // namespace gcsflux::campaign
