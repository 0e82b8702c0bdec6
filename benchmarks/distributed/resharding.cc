// How much does it cost to load a step with other ranks or slices than those that saved it? Aims: reads at most 1.02
// times the bytes of the slices and the manifest, in at most 1.3 times the time in which the same ranks load their own
// save.
#include <benchmark/benchmark.h>

#include <exception>

#include "distributed/rank_processes.h"

namespace gcsflux::bench {
namespace {

constexpr std::int64_t kTensors = 16;  // Of 64 MiB.

double LoadOnce(const StreamService& service, const RankWork& load, double& bytes) {
  const std::uint64_t before = BytesRead(service);
  const double seconds = RunRanks(service, load).at("seconds");
  bytes = static_cast<double>(BytesRead(service) - before);
  return seconds;
}

void BM_Reshard(benchmark::State& state) {
  const RankWork work{
      .task = "save", .world_size = static_cast<int>(state.range(0)), .tensors = kTensors, .rows = state.range(4)};
  RankWork own = work;
  own.world_size = static_cast<int>(state.range(1));
  own.more = {"--run=gs://bench/own"};
  StreamService service;
  for (auto _ : state) {
    try {
      RunRanks(service, work);
      RunRanks(service, own);
      service.BeLikeGcs(kStreamReadMbps, kStreamWriteMbps);
      own.task = "load";
      double own_bytes = 0;
      const double own_seconds = LoadOnce(service, own, own_bytes);
      RankWork load = own;
      load.dimension = static_cast<int>(state.range(2));  // The saving ranks divide dimension 0.
      load.more = {};
      if (state.range(3) == 1) load.more = {"--once_per_host"};
      double bytes = 0;
      const double seconds = LoadOnce(service, load, bytes);
      state.SetIterationTime(seconds);
      state.counters["own_ms"] = own_seconds * 1e3;
      state.counters["x_bytes"] = bytes / static_cast<double>(work.bytes());
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
    }
  }
}
BENCHMARK(BM_Reshard)
    ->ArgNames({"from", "to", "dimension", "shared", "rows"})
    ->ArgsProduct({{4}, {3, 1}, {0}, {0}, {128, 4096}})
    ->ArgsProduct({{1}, {4}, {0}, {0}, {128, 4096}})
    ->ArgsProduct({{4}, {4}, {1}, {0, 1}, {128, 4096}})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
