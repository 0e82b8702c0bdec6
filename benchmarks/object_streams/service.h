#pragma once

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "gcsflux/client.h"
#include "process_cpu.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux::bench {

inline constexpr const char* kStreamBucket = "bench";
inline constexpr std::uint64_t kBlockBytes = 16U << 20;
inline constexpr double kMebi = 1024.0 * 1024.0;

/// An emulator in a separate process with one bucket, and a client of it.
class StreamService {
 public:
  StreamService();

  [[nodiscard]] const std::string& endpoint() const { return emulator_.endpoint(); }
  [[nodiscard]] pid_t pid() const { return emulator_.pid(); }
  [[nodiscard]] const Client& client() const { return client_; }
  /// Like Cloud Storage, except for the rate of one stream in MB/s; 0 keeps the profile's.
  void BeLikeGcs(double read_mbps, double write_mbps) const;
  /// The same without quotas, for clients that do not retry refusals.
  void BeShapedLikeGcs(double read_mbps, double write_mbps) const;
  void BeFast() const;
  /// An unused name: an object may be written once a second.
  ObjectName NewName();
  /// An object of this size, whole blocks except for the last one. Throws std::runtime_error.
  ObjectMetadata Store(std::uint64_t bytes);

 private:
  void Set(const std::string& what, const std::string& json) const;
  testing::EmulatorProcess emulator_;
  Client client_;
  int names_ = 0;
};

/// The same 16 MiB for all writes.
const std::string& Block();

/// CPU seconds of the children that have ended.
double ChildrenCpuSeconds();

struct Measured {
  std::uint64_t bytes = 0;
  double (*cpu_seconds)() = nullptr;  ///< Of this process, or of its children.
};

/// Times `run`, and records the CPU for a GB and the memory that it added. False of `run` is an error.
template <class Run>
void Measure(benchmark::State& state, const Measured& measured, const Run& run) {
  double cpu = 0;
  std::uint64_t added = 0;
  for (auto _ : state) {
    const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
    testing::ResetPeakMemory(getpid());
    const double cpu_before = measured.cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    const bool is_good = run();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    cpu += measured.cpu_seconds() - cpu_before;
    const std::uint64_t most = testing::MemoryFigure(getpid(), "VmHWM");
    added = std::max(added, most - std::min(most, before));
    if (!is_good) return state.SkipWithError("it failed");
  }
  const auto runs = static_cast<double>(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(measured.bytes));
  state.counters["cpu_ms_per_gb"] = cpu * 1e3 / (runs * static_cast<double>(measured.bytes) / 1e9);
  state.counters["added_mib"] = static_cast<double>(added) / kMebi;
}

}  // namespace gcsflux::bench
