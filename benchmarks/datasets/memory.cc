// How much memory does a loop over a dataset need? Objects of 3 MiB, without shaping, so that the whole read-ahead is
// fetched, and a slow loop. Aim: the read-ahead, the loop's own memory, and 64 MiB, judged by the worst run. A loop
// over libtorch's DataLoader holds the batches of its queue, two for each worker, and the current one.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "datasets/loops.h"
#include "datasets/service.h"
#include "memory_pool.h"
#include "support/process_memory.h"

namespace gcsflux::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

// Arguments: way, workers.
void BM_PeakMemory(benchmark::State& state) {
  const auto way = static_cast<Way>(state.range(0));
  const auto workers = static_cast<std::size_t>(state.range(1));
  const SizeClass size{.bytes = 3 << 20, .objects = 384, .batch = 8};
  const Service service;
  LoopInput input{.client = service.MakeClient(),
                  .endpoint = service.endpoint(),
                  .objects = service.Store(size),
                  .epochs = {.seed = 7, .batch_size = size.batch},
                  .workers = static_cast<int>(workers)};
  TheMemory().Prepare(0, 1);
  malloc_trim(0);
  testing::ResetPeakMemory(getpid());
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  auto loop = MakeLoop(way, input, 0);
  for (auto _ : state) {
    const std::string failure = loop->Epoch([](std::span<const std::span<const std::byte>>) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    if (!failure.empty()) return state.SkipWithError(failure.c_str());
  }
  const double peak = static_cast<double>(testing::MemoryFigure(getpid(), "VmHWM") - before) / kMiB;
  const auto held = way == kMap ? 2 * workers + 1 : 1;
  const double may = static_cast<double>(ClientOptions().max_undelivered_bytes + held * size.batch * size.bytes) / kMiB;
  state.counters["peak_mib"] = peak;
  state.counters["beyond_mib"] = peak - may;
}
BENCHMARK(BM_PeakMemory)
    ->ArgNames({"way", "workers"})
    ->Args({kMap, 8})
    ->Args({kIterable, 0})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
