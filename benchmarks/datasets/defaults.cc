// Are a dataset's defaults as good as manual tuning? An epoch with the defaults, compared with the same epoch with
// every combination of a grid of connections and composition. Aim: at most 1.15 times the best of the grid, for each
// size and each batch.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

#include "datasets/loops.h"
#include "datasets/service.h"

namespace gcsflux::bench {
namespace {

// A service with objects of one size, for all combinations.
struct Stored {
  explicit Stored(std::int64_t kib) : size(ClassOf(kib)), objects(service.Store(size)) {
    service.BeLikeGcs(size.stream_mbps);
  }
  const SizeClass size;
  const Service service;
  const std::vector<ListedObject> objects;
};
const Stored& StoredOf(std::int64_t kib) {
  static std::map<std::int64_t, Stored> stored;
  return stored.try_emplace(kib, kib).first->second;
}

void TimeEpoch(benchmark::State& state, const Stored& stored, std::uint64_t batch, const DatasetOptions& dataset) {
  const LoopInput input{.client = stored.service.MakeClient(),
                        .endpoint = stored.service.endpoint(),
                        .objects = stored.objects,
                        .epochs = {.seed = 7, .batch_size = batch},
                        .dataset = dataset};
  auto loop = MapLoop(input);
  for (auto _ : state) {
    const std::string failure = loop->Epoch(nullptr);
    if (!failure.empty()) return state.SkipWithError(failure.c_str());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stored.objects.size()));
}

std::uint64_t BatchOf(const benchmark::State& state) { return static_cast<std::uint64_t>(state.range(1)); }

// Arguments: KiB, batch.
void BM_Defaults(benchmark::State& state) {
  TimeEpoch(state, StoredOf(state.range(0)), BatchOf(state), {.fetch_across_epochs = false});
}
BENCHMARK(BM_Defaults)
    ->ArgNames({"kib", "batch"})
    ->ArgsProduct({{100, 500, 3072}, {16, 64, 512}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Arguments: KiB, batch, connections, composition. Few connections without composition are far from the best.
void BM_ByHand(benchmark::State& state) {
  const auto mode = state.range(3) == 0 ? CompositionMode::kOff : CompositionMode::kOn;
  TimeEpoch(state, StoredOf(state.range(0)), BatchOf(state),
            {.download = {.max_concurrency = static_cast<int>(state.range(2)),
                          .adapts_concurrency = false,
                          .composition = mode},
             .fetch_across_epochs = false});
}
BENCHMARK(BM_ByHand)
    ->ArgNames({"kib", "batch", "connections", "composed"})
    ->ArgsProduct({{100, 500, 3072}, {16, 64, 512}, {8, 16, 32, 64, 128, 256}, {1}})
    ->ArgsProduct({{100, 500, 3072}, {16, 64, 512}, {64, 256}, {0}})
    ->Iterations(1)
    ->Repetitions(1)  // There are many.
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Composes are throttled: the bucket takes few writes a second, as a new one may. Aim: at most 1.15 times the time
// without composition. Arguments: writes per second, composition.
void BM_FewWrites(benchmark::State& state) {
  const Stored& stored = StoredOf(100);
  stored.service.LimitWrites(state.range(0));
  DatasetOptions options{.fetch_across_epochs = false};
  if (state.range(1) == 0) options.download.composition = CompositionMode::kOff;
  TimeEpoch(state, stored, 64, options);
  stored.service.BeLikeGcs(stored.size.stream_mbps);
}
BENCHMARK(BM_FewWrites)
    ->ArgNames({"writes", "composed"})
    ->ArgsProduct({{2, 20}, {0, 1}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
