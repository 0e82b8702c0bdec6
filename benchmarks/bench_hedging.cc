// How much latency do second requests save for readers of a service in which one of a hundred answers stalls? 4,000
// reads of 100 KiB over 16 threads, without hedging (the baseline) and with it, from an emulator with the first-byte
// times of profile gcs that stalls 1 % of its answers for two seconds: half of them before the first byte, half in the
// body.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "client_options.h"
#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kThreads = 16;
const ObjectName kObject{"bench", "object"};

constexpr auto kStalls = R"({"seed": 7, "rules": [
  {"name": "first byte", "match": {"operation": "storage.objects.get", "probability": 0.005},
   "action": {"type": "stall", "duration": "2s"}},
  {"name": "body", "match": {"operation": "storage.objects.get", "probability": 0.005},
   "action": {"type": "stall", "afterBytes": 40000, "duration": "2s"}}]})";

// Seconds of each read, in no order.
std::vector<double> Read(const Client& client, int reads) {
  std::vector<double> seconds(static_cast<std::size_t>(reads));
  std::atomic<int> next = 0;
  std::vector<std::jthread> readers;
  readers.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    readers.emplace_back([&] {
      for (int read = next++; read < reads; read = next++) {
        const auto start = Clock::now();
        const bool is_read = client.ReadObject(kObject).ok();
        seconds[static_cast<std::size_t>(read)] =
            is_read ? std::chrono::duration<double>(Clock::now() - start).count() : -1;
      }
    });
  }
  readers.clear();
  return seconds;
}

void BM_ReadsThatStall(benchmark::State& state) {
  const bool is_hedged = state.range(0) != 0;
  emulator::Emulator emulator({.shaping = {.read_first_byte_ms = emulator::ShapingProfile("gcs").read_first_byte_ms}});
  ClientOptions options = OptionsAt(emulator.endpoint());
  if (!is_hedged) options.hedge_budget = 0;
  const Client client = *Client::Create(options);
  const std::string content(100 << 10, 'c');
  if (!client.InsertBucket("bench") || !client.InsertObject(kObject, AsBytes(content))) {
    return state.SkipWithError("the emulator refuses the object");
  }
  std::vector<double> seconds;
  for (auto _ : state) {
    emulator.faults().Load(emulator::ParseFaultPlan(kStalls));
    seconds = Read(client, static_cast<int>(state.range(1)));
  }
  std::sort(seconds.begin(), seconds.end());
  if (seconds.front() < 0) return state.SkipWithError("a read failed");
  const auto percentile = [&](std::size_t per_mille) { return seconds[seconds.size() * per_mille / 1000] * 1e3; };
  const Counters counters = client.counters();
  state.counters["p50_ms"] = percentile(500);
  state.counters["p99_ms"] = percentile(990);
  state.counters["p99.9_ms"] = percentile(999);
  state.counters["worst_ms"] = seconds.back() * 1e3;
  state.counters["hedges"] = static_cast<double>(counters.hedges);
  state.counters["hedges_won"] = static_cast<double>(counters.hedges_won);
}
BENCHMARK(BM_ReadsThatStall)
    ->ArgNames({"hedged", "reads"})
    ->ArgsProduct({{0, 1}, {200, 4000}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace gcsflux::bench
