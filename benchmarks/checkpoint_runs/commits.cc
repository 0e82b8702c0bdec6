// How long does it take to commit a step? Aims: 1 GiB saved during training takes at most 1.1 times as long as the same
// synchronous save, and at most the memory of its copy, the writer's limit and 64 MiB. `gcs:1`: the emulator has the
// latencies of profile gcs, and one stream writes 25 MB/s, so that the two cores are not the limit.
#include <benchmark/benchmark.h>

#include "checkpoint_runs/big_state.h"
#include "object_streams/service.h"

namespace gcsflux::bench {
namespace {

void SaveAgain(benchmark::State& state, bool is_async) {
  StreamService service;
  if (state.range(0) == 1) service.BeLikeGcs(kReadMbps, kWriteMbps);
  const BigState big(state.range(1));
  CheckpointRun run(service.client(), "gs://bench/run", {.keep = KeepRules{.last = 1}});
  std::int64_t step = 0;
  const auto save = [&] {
    ++step;
    if (is_async) return run.SaveAsync(step, big.state()).WaitCommitted().ok();
    run.Save(step, big.state());
    return true;
  };
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  testing::ResetPeakMemory(getpid());
  if (!save()) return state.SkipWithError("it was not saved");
  for (auto _ : state) {
    if (!save()) return state.SkipWithError("it was not saved");
  }
  const std::uint64_t most = testing::MemoryFigure(getpid(), "VmHWM");
  const std::uint64_t expected = (is_async ? big.bytes() : 0) + UploadOptions().part_memory_bytes;
  state.counters["beyond_mib"] =
      (static_cast<double>(most) - static_cast<double>(before) - static_cast<double>(expected)) / kMebi;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(big.bytes()));
}

void BM_Save(benchmark::State& state) { SaveAgain(state, false); }
void BM_Committed(benchmark::State& state) { SaveAgain(state, true); }

void OfAllSizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"gcs", "mib"})->Args({0, 16})->Args({0, 1024})->Args({1, 1024});
  benchmark->UseRealTime()->Iterations(2)->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_Save)->Apply(OfAllSizes);
BENCHMARK(BM_Committed)->Apply(OfAllSizes);

}  // namespace
}  // namespace gcsflux::bench
