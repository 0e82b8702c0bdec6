// How much do ranks cost in addition to moving bytes? A save of 10,000 tensors of 4 ranks, each with slices of 32
// bytes, is nearly all announcements, plan, checksums and manifest; the service answers at once. Aims: at most 0.5 s.
// The plan alone, of 10,000 tensors on 512 ranks: at most 5 s of CPU and 2 GiB.
#include <benchmark/benchmark.h>

#include <exception>
#include <vector>

#include "distributed/rank_processes.h"
#include "sharding/announcement.h"
#include "sharding/save_plan.h"

namespace gcsflux::bench {
namespace {

void BM_SaveOfManyTensors(benchmark::State& state) {
  StreamService service;
  for (auto _ : state) {
    try {
      const auto figures =
          RunRanks(service, {.task = "save", .world_size = 4, .tensors = state.range(0), .rows = 8, .columns = 4});
      state.SetIterationTime(figures.at("seconds"));
      state.counters["cpu_seconds"] = figures.at("cpu_seconds");
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
    }
  }
}
BENCHMARK(BM_SaveOfManyTensors)
    ->ArgName("tensors")
    ->Arg(100)
    ->Arg(10'000)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Each rank has a slice of each tensor, and a copy of one in ten.
std::vector<TensorPart> PartsOf(std::int64_t tensors, int rank, int world_size) {
  std::vector<TensorPart> parts;
  for (std::int64_t i = 0; i < tensors; ++i) {
    const std::string name = "model.layers." + std::to_string(i) + ".weight";
    if (i % 10 == 0)
      parts.push_back({.name = name, .dtype = DType::kFloat32, .shape = {4096}});
    else
      parts.push_back(*Sharded(name, DType::kFloat32, {4096, 1024}, {.rank = rank, .world_size = world_size}));
  }
  return parts;
}

void BM_Plan(benchmark::State& state) {
  const auto world_size = static_cast<int>(state.range(1));
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  testing::ResetPeakMemory(getpid());
  std::vector<std::string> announcements;
  for (int rank = 0; rank < world_size; ++rank) {
    const internal::AnnouncedSave save{
        .host = "host-" + std::to_string(rank), .uri = "gs://bench/run/", .step = 1, .mode = CommitMode::kCreate};
    announcements.push_back(internal::FormatAnnouncement(save, PartsOf(state.range(0), rank, world_size)));
  }
  double cpu = 0;
  for (auto _ : state) {
    const double cpu_before = ProcessCpuSeconds();
    const auto plan = internal::PlanSave(announcements);
    cpu = ProcessCpuSeconds() - cpu_before;
    if (!plan.ok()) return state.SkipWithError(plan.error().message.c_str());
    if (plan->ranks.size() != static_cast<std::size_t>(world_size)) return state.SkipWithError("the plans differ");
  }
  const std::uint64_t most = testing::MemoryFigure(getpid(), "VmHWM");
  state.counters["cpu_seconds"] = cpu;
  state.counters["added_mib"] = static_cast<double>(most - std::min(most, before)) / kMebi;
}
BENCHMARK(BM_Plan)
    ->ArgNames({"tensors", "ranks"})
    ->ArgsProduct({{100, 10'000}, {512}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
