// How long does a save take if 90 % of the state is unchanged? Aims: for 1.1 GiB with 7 of 70 tensors changed, 0.11
// times the bytes of a full save, in 0.25 times its time. `gcs:1`: as in commits.cc.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "checkpoint_runs/big_state.h"
#include "object_streams/service.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kOneInTen = 10;

void SaveWithFrozenTensors(benchmark::State& state, bool skip_unchanged) {
  StreamService service;
  if (state.range(0) == 1) service.BeLikeGcs(kReadMbps, kWriteMbps);
  BigState big(state.range(1));
  CheckpointRun run(
      service.client(), "gs://bench/run",
      {.keep = KeepRules{.last = 1}, .format = CheckpointFormat::kSafetensors, .skip_unchanged = skip_unchanged});
  std::int64_t step = 0;
  run.Save(++step, big.state());
  std::uint64_t sent = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < big.tensors().size(); i += kOneInTen) at::Tensor(big.tensors()[i].second).add_(1);
    const std::uint64_t before = service.client().counters().bytes_sent;
    const auto start = BenchClock::now();
    run.Save(++step, big.state());
    state.SetIterationTime(SecondsSince(start));
    sent = std::max(sent, service.client().counters().bytes_sent - before);
  }
  RunState loaded{.tensors = {{"model", {}}}};
  run.Load(step, loaded);
  if (!big.IsSameAs(loaded.tensors.at("model"))) return state.SkipWithError("other bytes arrived");
  state.counters["sent_mib"] = static_cast<double>(sent) / kMebi;
}

void BM_SaveAll(benchmark::State& state) { SaveWithFrozenTensors(state, false); }
void BM_SaveChanged(benchmark::State& state) { SaveWithFrozenTensors(state, true); }

void OfFrozenSizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"gcs", "mib"})->Args({0, 160})->Args({0, 1120})->Args({1, 1120});
  benchmark->UseManualTime()->Iterations(2)->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_SaveAll)->Apply(OfFrozenSizes);
BENCHMARK(BM_SaveChanged)->Apply(OfFrozenSizes);

}  // namespace
}  // namespace gcsflux::bench
