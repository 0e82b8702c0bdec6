// How fast do the processes of a job save and load a step together? Four ranks are one process each, with 2 GiB in all
// and 8 connections for each rank. The emulator has the latencies of profile gcs; one stream writes 12.5 MB/s and reads
// 30, so that the two cores, which ranks and emulator share, are not the limit. The baseline is four processes of bare
// libcurl with as many connections. The time is that of the slowest rank. Aims: the lower of 0.8 of the streams' rate
// and 0.75 of the baseline; four ranks move 3 times as much as one.
#include <benchmark/benchmark.h>

#include <exception>
#include <string_view>

#include "distributed/rank_processes.h"

namespace gcsflux::bench {
namespace {

constexpr std::int64_t kTensorsPerRank = 8;  // Of 64 MiB.

bool IsBare(std::string_view task) { return task.starts_with("bare"); }

RankWork WorkOf(const benchmark::State& state, const char* task) {
  const auto ranks = static_cast<int>(state.range(0));
  return {.task = task, .world_size = ranks, .tensors = ranks * kTensorsPerRank, .rows = state.range(1)};
}

// The slowest rank's time, and its share of the streams' rate.
void Note(benchmark::State& state, const RankWork& work, const std::map<std::string, double>& figures, double mbps) {
  const double seconds = figures.at("seconds");
  state.SetIterationTime(seconds);
  state.SetBytesProcessed(static_cast<std::int64_t>(work.bytes()));
  const double streams = 1e6 * mbps * kConnectionsPerRank * work.world_size;
  state.counters["of_streams"] = static_cast<double>(work.bytes()) / seconds / streams;
  state.counters["cpu_seconds"] = figures.at("cpu_seconds");
}

void Measure(benchmark::State& state, const char* before, const char* measured, double mbps) {
  StreamService service;
  const RankWork work = WorkOf(state, measured);
  for (auto _ : state) {
    try {
      if (before != nullptr) RunRanks(service, WorkOf(state, before));
      if (IsBare(measured))
        service.BeShapedLikeGcs(kStreamReadMbps, kStreamWriteMbps);
      else
        service.BeLikeGcs(kStreamReadMbps, kStreamWriteMbps);
      Note(state, work, RunRanks(service, work), mbps);
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
    }
  }
}

const bool kRegistered = [] {
  const auto add = [](const char* name, const char* before, const char* task, double mbps) {
    benchmark::RegisterBenchmark(name, Measure, before, task, mbps)
        ->ArgNames({"ranks", "rows"})
        ->ArgsProduct({{1, 4}, {128, 4096}})
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  };
  add("BM_BareWrite", nullptr, "bare_write", kStreamWriteMbps);
  add("BM_RanksSave", nullptr, "save", kStreamWriteMbps);
  add("BM_BareRead", "bare_write", "bare_read", kStreamReadMbps);
  add("BM_RanksLoad", "save", "load", kStreamReadMbps);
  return true;
}();

}  // namespace
}  // namespace gcsflux::bench
