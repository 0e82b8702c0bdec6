// How much time does a training lose by saving its state of 1 GiB? Aims: eager saves block for at most 1.2 times a
// memcpy by the same threads into existing memory; lazy ones for 0.05 times, and the optimizer's step then waits for at
// most 1.2 times the rest of the copy. Each figure is compared with a copy made directly before it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "checkpoint_runs/big_state.h"
#include "object_streams/service.h"

namespace gcsflux::bench {
namespace {

constexpr int kSaves = 5;  // After the first save, which allocates the memory for copies.
constexpr const char* kRun = "gs://bench/run";

CheckpointRunOptions Options(bool is_lazy) {
  return {.keep = KeepRules{.last = 1}, .async = {.is_lazy = is_lazy, .copy_threads = kCopyThreads}};
}

/// A run with one committed save.
struct Saving {
  Saving(bool is_lazy, std::int64_t mib) : big(mib), run(service.client(), kRun, Options(is_lazy)) {
    ValueOrThrow(Save().WaitCommitted());
  }
  PendingSave Save() { return run.SaveAsync(++step, big.state()); }

  StreamService service;
  BigState big;
  PlainCopy copy{big};
  CheckpointRun run;
  std::int64_t step = 0;
};

void BM_EagerBlocks(benchmark::State& state) {
  Saving saving(/*is_lazy=*/false, state.range(0));
  std::vector<double> copies;
  std::vector<double> blocked;
  for (auto _ : state) {
    for (int i = 0; i < kSaves; ++i) {
      copies.push_back(saving.copy.Seconds());
      const auto start = BenchClock::now();
      const PendingSave save = saving.Save();
      blocked.push_back(SecondsSince(start));
      if (!save.WaitCommitted().ok()) return state.SkipWithError("it was not saved");
    }
  }
  state.counters["memcpy_ms"] = MedianMs(copies);
  state.counters["blocked_ms"] = MedianMs(blocked);
}
BENCHMARK(BM_EagerBlocks)
    ->ArgName("mib")
    ->Arg(16)
    ->Arg(1024)
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// `half:0`: forward and backward pass take twice as long as the copy; `half:1`: half as long. The thread sleeps for
// their time, as if an accelerator computed. `rest_ms` is the rest of the copy after that.
void BM_LazyBlocks(benchmark::State& state) {
  const double share = state.range(0) == 1 ? 0.5 : 2;
  Saving saving(/*is_lazy=*/true, state.range(1));
  std::vector<double> copies;
  std::vector<double> blocked;
  std::vector<double> rests;
  std::vector<double> waits;
  for (auto _ : state) {
    for (int i = 0; i < kSaves; ++i) {
      copies.push_back(saving.copy.Seconds());
      const auto start = BenchClock::now();
      const PendingSave save = saving.Save();
      blocked.push_back(SecondsSince(start));
      std::this_thread::sleep_for(std::chrono::duration<double>(share * copies.back()));
      const auto before_step = BenchClock::now();
      rests.push_back(std::max(0.0, copies.back() - SecondsSince(start)));
      save.WaitStaged();
      waits.push_back(SecondsSince(before_step));
      if (!save.WaitCommitted().ok()) return state.SkipWithError("it was not saved");
    }
  }
  state.counters["memcpy_ms"] = MedianMs(copies);
  state.counters["blocked_ms"] = MedianMs(blocked);
  state.counters["rest_ms"] = MedianMs(rests);
  state.counters["wait_ms"] = MedianMs(waits);
}
BENCHMARK(BM_LazyBlocks)
    ->ArgNames({"half", "mib"})
    ->ArgsProduct({{0, 1}, {16, 1024}})
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
