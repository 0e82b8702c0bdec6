// How fast are loops over datasets, compared with one bare libcurl loop per connection and with our own DownloadStream
// over the same order? The emulator is a separate process with profile gcs; libtorch's DataLoader has 4 workers, and
// the order is shuffled. Aims, for 16 connections: 6 times the bare loop for 100 KiB, 5 for 500 KiB, 1.9 for 3 MiB, 1.5
// for batches of 8 objects of 150 MiB; 0.9 of DownloadStream; a map-style loop takes at most 1.1 times as long as an
// iterable one. If each request takes 20 ms, 64 connections take at most 1.15 times (objects x 20 ms / 64) without
// composition, and 0.7 times that with it. Without shaping, the CPU per object is at most 1.25 times that of the bare
// loop. Ranges of large objects cost at most 2 % if all connections are busy. benchmarks/datasets has the other
// questions.
#include <benchmark/benchmark.h>

#include <string>

#include "datasets/loops.h"
#include "datasets/service.h"
#include "memory_pool.h"
#include "process_cpu.h"

namespace gcsflux::bench {
namespace {

constexpr int kConnections = 16;
// The read-ahead of all compared ways: the memory of 16 composites of the largest size.
constexpr std::uint64_t kPrefetchBytes = kConnections * std::uint64_t{100'000'000};

Allocator FromPool() {
  return [](std::size_t bytes) { return TheMemory().Take(bytes); };
}

// With existing memory, and for one epoch.
LoopInput InputOf(const Service& service, std::vector<ListedObject> objects, std::size_t batch, int connections,
                  CompositionMode mode) {
  return {.client = service.MakeClient(kPrefetchBytes),
          .endpoint = service.endpoint(),
          .objects = std::move(objects),
          .epochs = {.seed = 7, .batch_size = batch},
          .dataset = {.download = {.max_concurrency = connections,
                                   .adapts_concurrency = false,
                                   .allocator = FromPool(),
                                   .composition = mode},
                      .fetch_across_epochs = false}};
}

// Outside the timed part: a few objects arrive as stored.
std::string VerifyFew(Way way, LoopInput input) {
  if (way == kBare) return "";
  input.objects.resize(std::min<std::size_t>(input.objects.size(), 64));
  return Verify(*MakeLoop(way, input, kConnections), input.objects);
}

// One epoch in each iteration, each by a loop that starts without estimates.
void TimeEpochs(benchmark::State& state, Way way, const LoopInput& input, int connections) {
  double cpu = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto loop = MakeLoop(way, input, connections);
    state.ResumeTiming();
    const double before = ProcessCpuSeconds();
    const std::string failure = loop->Epoch(nullptr);
    cpu += ProcessCpuSeconds() - before;
    if (!failure.empty()) return state.SkipWithError(failure.c_str());
    state.PauseTiming();  // Its last composites are deleted.
    loop.reset();
    state.ResumeTiming();
  }
  const auto objects = state.iterations() * static_cast<std::int64_t>(input.objects.size());
  state.SetItemsProcessed(objects);
  state.SetBytesProcessed(objects * static_cast<std::int64_t>(input.objects.front().size));
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(objects);
}

// Arguments: way, KiB.
void BM_Epoch(benchmark::State& state) {
  const auto way = static_cast<Way>(state.range(0));
  const SizeClass size = ClassOf(state.range(1));
  const Service service;
  const LoopInput input =
      InputOf(service, service.Store(size), size.batch, kConnections, DatasetDownloads().composition);
  const std::string failure = VerifyFew(way, input);
  if (!failure.empty()) return state.SkipWithError(failure.c_str());
  TheMemory().Prepare(size.objects, size.bytes);
  service.BeLikeGcs(size.stream_mbps);
  TimeEpochs(state, way, input, kConnections);
}
BENCHMARK(BM_Epoch)
    ->ArgNames({"way", "kib"})
    ->ArgsProduct({{kBare, kStream, kMap, kIterable}, {100, 500, 3072, 153600}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// 2,000 objects of 100 KiB over 64 connections, 20 ms for each request. Arguments: way, composition.
void BM_20Milliseconds(benchmark::State& state) {
  constexpr int kMany = 64;
  const auto way = static_cast<Way>(state.range(0));
  const SizeClass size = ClassOf(100);
  const Service service;
  const auto mode = state.range(1) == 0 ? CompositionMode::kOff : CompositionMode::kAuto;
  const LoopInput input = InputOf(service, service.Store(size), size.batch, kMany, mode);
  TheMemory().Prepare(size.objects, size.bytes);
  service.TakePerRequest(20);
  TimeEpochs(state, way, input, kMany);
  state.counters["bound_ms"] = 20.0 * static_cast<double>(size.objects) / kMany;
}
BENCHMARK(BM_20Milliseconds)
    ->ArgNames({"way", "auto"})
    ->Args({kBare, 0})
    ->ArgsProduct({{kMap, kIterable}, {0, 1}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The client's own CPU: without shaping. Arguments: way, composition.
void BM_EpochUnshaped(benchmark::State& state) {
  static const Service service;
  static const auto objects = service.Store(ClassOf(100));
  const auto mode = state.range(1) == 0 ? CompositionMode::kOff : CompositionMode::kAuto;
  TheMemory().Prepare(objects.size(), objects.front().size);
  TimeEpochs(state, static_cast<Way>(state.range(0)), InputOf(service, objects, 256, kConnections, mode), kConnections);
}
BENCHMARK(BM_EpochUnshaped)
    ->ArgNames({"way", "auto"})
    ->Args({kBare, 0})
    ->ArgsProduct({{kStream, kMap, kIterable}, {0, 1}})
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// 48 objects of 32 MiB, 30 MB/s for each connection: more objects than connections. Argument: whether in ranges.
void BM_Ranges(benchmark::State& state) {
  const SizeClass size{.bytes = 32 << 20, .objects = 48, .batch = 16};
  const Service service;
  LoopInput input = InputOf(service, service.Store(size), size.batch, kConnections, CompositionMode::kAuto);
  if (state.range(0) == 0) input.dataset.download.range_bytes = 0;
  TheMemory().Prepare(size.objects, size.bytes);
  service.BeLikeGcs(30);
  TimeEpochs(state, kIterable, input, kConnections);
}
BENCHMARK(BM_Ranges)->ArgName("ranges")->Arg(0)->Arg(1)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
