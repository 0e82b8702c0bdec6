// How long does a parallel listing take compared with the lower bound, and a small one compared with sequential pages?
// The bound assumes full pages, divided equally among all workers; the counter x_bound is the ratio. Aims: 2 for the
// patterns a to d, 2.5 for e to h; 1.05 times a sequential listing for 10, 1,000 and 10,000 names; 1.5 for 20,000,000
// names and 256 workers, or, if two cores are the limit, 1.2 times the time that they need to make and parse the same
// pages without a network. The names are computed buckets (docs/emulator/virtual_buckets.md) of an emulator in this
// process, where a page costs 60 ms and 0.07 ms for each item, as in Cloud Storage.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bare_listing.h"
#include "client_options.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "process_cpu.h"
#include "service/service.h"
#include "virtual/virtual_buckets.h"

namespace gcsflux::bench {
namespace {

constexpr double kPageNames = 5000;
constexpr double kPageSeconds = 0.060 + 0.00007 * kPageNames;

// "bench": the first argument is the number of names, the second their pattern, counted from 'a'.
std::vector<emulator::VirtualBucket> BucketOf(const benchmark::State& state) {
  const auto pattern = static_cast<char>('a' + state.range(1));
  return {{.name = "bench",
           .count = static_cast<std::uint64_t>(state.range(0)),
           .size_bytes = 10,
           .pattern = static_cast<emulator::NamePattern>(pattern)}};
}

void ListNames(benchmark::State& state, int parallelism) {
  emulator::Emulator emulator({.virtual_buckets = BucketOf(state)});
  emulator.shaping().Set({.list_first_byte_ms = 60, .list_item_us = 70});
  const Client client = *Client::Create(OptionsAt(emulator.endpoint()));
  const auto count = static_cast<std::uint64_t>(state.range(0));
  Listing report;
  double seconds = 0;
  const double cpu_before = ProcessCpuSeconds();
  for (auto _ : state) {
    const auto listed = ListInParallel(client, {"bench"}, DeliveryOrder::kAsCompleted,
                                       [](const std::vector<ListedObject>&) -> Result<void> { return {}; },
                                       {.max_concurrency = parallelism});
    if (!listed || listed->object_count != count) throw std::runtime_error("the listing is not whole");
    report = *listed;
    seconds += std::chrono::duration<double>(report.elapsed).count();
  }
  const double pages = std::max(1.0, std::ceil(static_cast<double>(count) / kPageNames));
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["cpu_s"] = (ProcessCpuSeconds() - cpu_before) / rounds;  // the emulator's too
  state.SetItemsProcessed(state.range(0) * static_cast<std::int64_t>(state.iterations()));
  state.counters["x_bound"] = seconds / rounds / (pages * kPageSeconds / parallelism);
  state.counters["x_calls"] = static_cast<double>(report.calls) / pages;
  state.counters["x_most_calls"] = 2 + static_cast<double>(parallelism) / pages;
  state.counters["steals"] = static_cast<double>(report.steals);
}

void BM_ParallelListing(benchmark::State& state) { ListNames(state, 48); }
void BM_SequentialListing(benchmark::State& state) { ListNames(state, 1); }
void BM_ParallelListing256(benchmark::State& state) { ListNames(state, 256); }

class NoBody final : public emulator::RequestBody {
 public:
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return 0; }
  std::optional<std::size_t> Read(std::span<std::byte> /*into*/) override { return 0; }
};

// A thread per core, each with its share of the names, which are hashes.
void BM_PagesWithoutNetwork(benchmark::State& state) {
  const auto clock = [] { return std::chrono::system_clock::now(); };
  emulator::Store store(clock);
  const emulator::VirtualBuckets buckets(BucketOf(state), store);
  emulator::ResumableSessions sessions(clock, 1);
  emulator::Service service(store, sessions, {});
  const auto get = [&](const std::string& target, std::string& json) {
    NoBody body;
    emulator::RequestSubject subject;
    json = std::get<std::string>(service.Handle({.method = "GET", .target = target}, body, subject).body);
  };
  constexpr std::string_view kShares = "0123456789abcdef";
  const double cpu_before = ProcessCpuSeconds();
  for (auto _ : state) {
    std::atomic<std::uint64_t> objects = 0;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < kShares.size(); i = next++) {
        const std::string_view end = kShares.substr(std::min(i + 1, kShares.size()), 1);
        objects += ListBarely({.bucket = "bench", .start_offset = kShares.substr(i, 1), .end_offset = end}, get);
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
    threads.clear();
    if (objects != static_cast<std::uint64_t>(state.range(0))) throw std::runtime_error("the listing is not whole");
  }
  state.SetItemsProcessed(state.range(0) * static_cast<std::int64_t>(state.iterations()));
  state.counters["cpu_s"] = (ProcessCpuSeconds() - cpu_before) / static_cast<double>(state.iterations());
}

void Patterns(benchmark::internal::Benchmark* benchmark) {
  for (int pattern = 0; pattern < 8; ++pattern) benchmark->Args({2'000'000, pattern});
}

void SmallBuckets(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {10, 1000, 10'000}) benchmark->Args({count, 0})->Args({count, 4});
  benchmark->Iterations(1)->Repetitions(10);  // each by a new client, as in a command
}

BENCHMARK(BM_ParallelListing)
    ->ArgNames({"names", "pattern"})
    ->Apply(Patterns)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ParallelListing)
    ->ArgNames({"names", "pattern"})
    ->Apply(SmallBuckets)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SequentialListing)
    ->ArgNames({"names", "pattern"})
    ->Apply(SmallBuckets)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ParallelListing256)
    ->ArgNames({"names", "pattern"})
    ->Args({20'000'000, 0})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PagesWithoutNetwork)
    ->ArgNames({"names", "pattern"})
    ->Args({20'000'000, 0})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
