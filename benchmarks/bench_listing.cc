// How fast is a parallel listing, beside the same pages one after the other and beside what no listing can beat: all
// pages full, shared equally by all workers? Computed buckets of an emulator in this process, where a page costs
// 60 ms and 0.07 ms for each item, as with GCS; names of the patterns a to h (docs/virtual_buckets.md).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "client_options.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"

namespace gcsflux::bench {
namespace {

constexpr double kPageNames = 5000;
constexpr double kPageSeconds = 0.060 + 0.00007 * kPageNames;

// Names `count` in pattern 'a' + `pattern`, as a sink takes them.
void ListNames(benchmark::State& state, int parallelism) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const auto pattern = static_cast<char>('a' + state.range(1));
  emulator::EmulatorOptions options;
  options.virtual_buckets = {
      {.name = "bench", .count = count, .size_bytes = 10, .pattern = static_cast<emulator::NamePattern>(pattern)}};
  emulator::Emulator emulator(options);
  emulator.shaping().Set({.list_first_byte_ms = 60, .list_item_us = 70});
  const Client client = *Client::Create(OptionsAt(emulator.endpoint()));
  ListingReport report;
  double seconds = 0;
  for (auto _ : state) {
    const auto listed =
        ListInParallel(client, {"bench"}, ListingOrder::kAsFound,
                       [](std::vector<ListedObject>) -> Result<void> { return {}; }, {.parallelism = parallelism});
    if (!listed || listed->objects != count) throw std::runtime_error("the listing is not whole");
    report = *listed;
    seconds += report.seconds;
  }
  const double pages = std::max(1.0, std::ceil(static_cast<double>(count) / kPageNames));
  const auto rounds = static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * static_cast<std::int64_t>(state.iterations()));
  state.counters["x_bound"] = seconds / rounds / (pages * kPageSeconds / parallelism);
  state.counters["x_calls"] = static_cast<double>(report.calls) / pages;
  state.counters["steals"] = static_cast<double>(report.steals);
}

void Parallel(benchmark::State& state) { ListNames(state, 48); }
void Many(benchmark::State& state) { ListNames(state, 256); }
BENCHMARK(Many)->ArgNames({"names", "pattern"})->Args({20'000'000, 0})->UseRealTime()->Unit(benchmark::kMillisecond);
void Sequential(benchmark::State& state) { ListNames(state, 1); }

void Patterns(benchmark::internal::Benchmark* benchmark) {
  for (int pattern = 0; pattern < 8; ++pattern) benchmark->Args({2'000'000, pattern});
}

void SmallBuckets(benchmark::internal::Benchmark* benchmark) {
  for (const int count : {10, 1000, 10'000}) benchmark->Args({count, 0})->Args({count, 4});
}

BENCHMARK(Parallel)
    ->ArgNames({"names", "pattern"})
    ->Apply(Patterns)
    ->Apply(SmallBuckets)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Sequential)
    ->ArgNames({"names", "pattern"})
    ->Apply(SmallBuckets)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
