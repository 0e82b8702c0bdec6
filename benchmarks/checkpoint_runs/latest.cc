// How long does it take to find the newest of 10,000 steps? Aims: at most 3 dependent round trips before the first byte
// of the state; 1 GiB loads at 0.9 times the rate of LoadStateDict(), in at most 1.11 times its time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "checkpoint_runs/big_state.h"
#include "checkpoints/manifest.h"
#include "client_options.h"
#include "gcsflux/emulator/emulator.h"
#include "object_streams/service.h"
#include "support/round_trips.h"

namespace gcsflux::bench {
namespace {

constexpr std::int64_t kManySteps = 10'000;
constexpr const char* kLatestRun = "gs://bench/run";

std::string StepName(std::int64_t step) {
  char name[64];
  std::snprintf(name, sizeof(name), "step-%08lld", static_cast<long long>(step));
  return name;
}

// The manifests of all steps but the last one, whose files are not needed, and a regular save of the last one.
Step MakeRun(const Client& client, const RunState& state) {
  std::atomic<std::int64_t> next = 0;
  std::atomic<bool> has_failed = false;
  const auto insert = [&] {
    for (std::int64_t step = next++; step < kManySteps - 1; step = next++) {
      const auto json = FormatManifest(
          {.run = "run", .step = step, .files = {{.name = StepName(step) + "/state.pt", .size = 1, .generation = 1}}});
      const ObjectName object{kStreamBucket, "run/" + StepName(step) + ".json"};
      if (!json || !client.InsertObject(object, AsBytes(*json))) has_failed = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(16);
    for (int i = 0; i < 16; ++i) threads.emplace_back(insert);
  }
  if (has_failed) throw std::runtime_error("a manifest was not stored");
  return CheckpointRun(client, kLatestRun).Save(kManySteps - 1, state).step;
}

RunState Wanted() { return {.tensors = {{"model", {}}}}; }

// Both loads alternate, so that other load of the machine affects both.
void BM_LoadLatest(benchmark::State& state) {
  constexpr int kTurns = 5;
  StreamService service;
  const BigState big(state.range(0));
  const Step step = MakeRun(service.client(), big.state());
  const std::string uri = std::string(kLatestRun) + "/" + step.files.at(0).name;
  std::vector<double> of_dict;
  std::vector<double> of_latest;
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto start = BenchClock::now();
      const NamedTensors dict = LoadStateDict(service.client(), uri);
      of_dict.push_back(SecondsSince(start));
      if (!big.IsSameAs(dict)) return state.SkipWithError("LoadStateDict() has other bytes");
      RunState loaded = Wanted();
      const auto start_of_latest = BenchClock::now();
      const auto latest = CheckpointRun(service.client(), kLatestRun).LoadLatest(loaded);
      of_latest.push_back(SecondsSince(start_of_latest));
      if (!latest || latest->number != kManySteps - 1) return state.SkipWithError("another step came");
      if (!big.IsSameAs(loaded.tensors.at("model"))) return state.SkipWithError("LoadLatest() has other bytes");
    }
  }
  state.counters["dict_ms"] = MedianMs(of_dict);
  state.counters["latest_ms"] = MedianMs(of_latest);
}
BENCHMARK(BM_LoadLatest)
    ->ArgName("mib")
    ->Arg(16)
    ->Arg(1024)
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

using emulator::RequestRecord;

// By a new client, as after a restart; with the latencies of profile gcs.
void BM_FindLatest(benchmark::State& state) {
  emulator::Emulator emulator({.journal_size = 2 * kManySteps});
  ClientOptions options = OptionsAt(emulator.endpoint());
  options.project = "bench";
  const Client client = *Client::Create(options);
  if (!client.InsertBucket(kStreamBucket)) return state.SkipWithError("no bucket");
  const BigState big(BigState::kTensorMib);
  MakeRun(client, big.state());
  emulator.shaping().Set(emulator::ShapingProfile("gcs"));
  std::size_t round_trips = 0;
  std::size_t requests = 0;
  for (auto _ : state) {
    const std::size_t before = emulator.journal().size();
    RunState loaded = Wanted();
    const auto latest = CheckpointRun(client, kLatestRun).LoadLatest(loaded);
    if (!latest || latest->number != kManySteps - 1) return state.SkipWithError("another step came");
    auto records = emulator.journal();
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(before));
    const auto first_byte = std::find_if(records.begin(), records.end(), [](const RequestRecord& request) {
      return std::string_view(request.object).ends_with("-state.pt") && request.bytes_out > 0 &&
             request.target.find("alt=media") != std::string::npos;
    });
    if (first_byte == records.end()) return state.SkipWithError("no state was read");
    requests = static_cast<std::size_t>(first_byte - records.begin());
    records.erase(first_byte, records.end());
    round_trips = std::max(round_trips, testing::RoundTrips(std::move(records)));
  }
  state.counters["round_trips"] = static_cast<double>(round_trips);
  state.counters["requests"] = static_cast<double>(requests);
}
BENCHMARK(BM_FindLatest)->UseRealTime()->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
