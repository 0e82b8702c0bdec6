// What does it cost to load a step with other ranks or other slices than those that saved it? At most 1.02 times the
// bytes of the slices and the manifest are to be read. The time is to be at most 1.3 times that of the same ranks if
// they load what they have saved.
#include <benchmark/benchmark.h>

#include <exception>
#include <utility>

#include "distributed/rank_processes.h"

namespace gcsflux::bench {
namespace {

constexpr std::int64_t kTensors = 16;  // Of 64 MiB.

struct Sides {
  int saving = 1;
  int loading = 1;
  int dimension = 0;  // That those divide which load; those that save divide dimension 0.
};

double LoadOnce(const StreamService& service, const RankWork& load, double& bytes) {
  const std::uint64_t before = BytesRead(service);
  const double seconds = RunRanks(service, load).at("seconds");
  bytes = static_cast<double>(BytesRead(service) - before);
  return seconds;
}

void BM_Reshard(benchmark::State& state) {
  const Sides sides{.saving = static_cast<int>(state.range(0)),
                    .loading = static_cast<int>(state.range(1)),
                    .dimension = static_cast<int>(state.range(2))};
  RankWork work{.task = "save", .world_size = sides.saving, .tensors = kTensors, .rows = state.range(3)};
  RankWork own = work;
  own.world_size = sides.loading;
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
      load.more = {};
      load.dimension = sides.dimension;
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
    ->ArgNames({"from", "to", "dimension", "rows"})
    ->ArgsProduct({{4}, {3, 1}, {0}, {128, 4096}})
    ->ArgsProduct({{1}, {4}, {0}, {128, 4096}})
    ->ArgsProduct({{4}, {4}, {1}, {128, 4096}})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
