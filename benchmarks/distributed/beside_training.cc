// How much time do ranks lose by saves during training? Aims: snapshots of 1 GiB in 4 ranks block as those of one
// process: eager ones for 1.2 times a memcpy that all ranks make at the same time, lazy ones for 0.05 times. Two ranks
// compute on a core each: outside the snapshot, a step during a save takes at most 10 % longer. Its time includes the
// emulator's use of these cores, so its CPU is reported too.
#include <benchmark/benchmark.h>

#include <exception>

#include "distributed/rank_processes.h"
#include "one_core.h"

namespace gcsflux::bench {
namespace {

void Run(benchmark::State& state, const StreamService& service, RankWork work) {
  if (state.range(0) == 1) work.more = {"--lazy"};
  for (auto _ : state) {
    try {
      for (const auto& [name, value] : RunRanks(service, work)) state.counters[name] = value;
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
    }
  }
}

void BM_RanksSnapshot(benchmark::State& state) {
  const StreamService service;
  Run(state, service, {.task = "snapshots", .world_size = 4, .tensors = 64, .rows = state.range(1)});
}
BENCHMARK(BM_RanksSnapshot)
    ->ArgNames({"lazy", "rows"})
    ->ArgsProduct({{0, 1}, {16, 1024}})
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void BM_RanksTraining(benchmark::State& state) {
  const StreamService service;
  LetOthersGoFirst(service.pid());
  service.BeLikeGcs(kStreamReadMbps, kStreamWriteMbps);
  Run(state, service, {.task = "training", .world_size = 2, .tensors = 12, .rows = state.range(1)});
}
BENCHMARK(BM_RanksTraining)
    ->ArgNames({"lazy", "rows"})
    ->ArgsProduct({{0, 1}, {16, 1024}})
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
