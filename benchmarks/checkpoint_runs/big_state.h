#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gcsflux/torch/checkpoint_run.h"

namespace gcsflux::bench {

inline constexpr std::size_t kCopyThreads = 2;  // The default of AsyncSaveOptions.
/// The rates of one stream in MB/s if the service should be like Cloud Storage.
inline constexpr int kReadMbps = 60;
inline constexpr int kWriteMbps = 25;

/// A state of tensors of 16 MiB, as "model".
class BigState {
 public:
  static constexpr std::int64_t kTensorMib = 16;
  static constexpr std::size_t kTensorBytes = std::size_t{kTensorMib} << 20;

  explicit BigState(std::int64_t mib);

  [[nodiscard]] std::uint64_t bytes() const { return tensors_.size() * kTensorBytes; }
  [[nodiscard]] RunState state() const { return {.tensors = {{"model", tensors_}}}; }
  [[nodiscard]] const NamedTensors& tensors() const { return tensors_; }
  /// Whether both have the same bytes.
  [[nodiscard]] bool IsSameAs(const NamedTensors& others) const;

 private:
  NamedTensors tensors_;
};

/// Copies a state by kCopyThreads threads into existing memory: the baseline of a snapshot.
class PlainCopy {
 public:
  explicit PlainCopy(const BigState& state);
  /// How long one copy takes.
  double Seconds();

 private:
  const BigState& state_;
  std::unique_ptr<std::byte[]> memory_;
};

using BenchClock = std::chrono::steady_clock;
inline double SecondsSince(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

double MedianMs(std::vector<double> seconds);

}  // namespace gcsflux::bench
