// How much does a parallel listing cost the client, in CPU for each object and in memory beyond its name? The baseline
// is a bare loop that requests the same pages by libcurl on one connection, one after the other, and parses them in the
// simplest way. The emulator is a separate process and answers without delay; in BM_ListingCpuInFlight each page takes
// 50 ms, so that one page per worker is in flight. Aims: 1.2 times the loop's CPU, 120 bytes. `peak_bytes` is the peak
// memory of the process during the listing, including pages in flight.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bare_curl.h"
#include "bare_listing.h"
#include "client_options.h"
#include "gcsflux/listing.h"
#include "process_cpu.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::uint64_t kNames = 1'000'000;
constexpr std::uint64_t kNameBytes = 32;

constexpr std::uint64_t kNamesInFlight = 5'000'000;  // 1,000 pages: some for each of 256 workers

const testing::EmulatorProcess& Service() {
  static const testing::EmulatorProcess service({"--virtual_buckets=bench:1000000:100KiB:a"});
  return service;
}

// Counts the CPU of `list`, which returns the number of objects. A first call, for connections and memory, is not
// counted.
template <class List>
void MeasureCpu(benchmark::State& state, std::uint64_t names, List&& list) {
  double cpu = 0;
  list();
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    if (list() != names) throw std::runtime_error("the listing is not whole");
    cpu += ProcessCpuSeconds() - before;
  }
  const auto objects = static_cast<double>(names) * static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(objects));
  state.counters["cpu_us"] = cpu * 1e6 / objects;
}

void BM_BareListingLoop(benchmark::State& state) {
  BareCurl curl;
  const auto get = [&](const std::string& target, std::string& json) {
    if (!curl.Get(Service().endpoint() + target, json)) throw std::runtime_error("no page");
  };
  MeasureCpu(state, kNames, [&] { return ListBarely({.bucket = "bench"}, get); });
}

void MeasureListing(benchmark::State& state, const testing::EmulatorProcess& service, std::uint64_t names) {
  const auto parallelism = static_cast<int>(state.range(0));
  ClientOptions client_options = OptionsAt(service.endpoint());
  client_options.max_idle_connections = std::max(client_options.max_idle_connections, parallelism);
  const Client client = *Client::Create(client_options);
  const ParallelListOptions options{.max_concurrency = parallelism};
  MeasureCpu(state, names, [&]() -> std::uint64_t {
    const auto listed = ListInParallel(
        client, {"bench"}, DeliveryOrder::kAsCompleted,
        [](const std::vector<ListedObject>&) -> Result<void> { return {}; }, options);
    return listed ? listed->object_count : 0;
  });
}

void BM_ListingCpu(benchmark::State& state) { MeasureListing(state, Service(), kNames); }

void BM_ListingCpuInFlight(benchmark::State& state) {
  const testing::EmulatorProcess service({"--virtual_buckets=bench:" + std::to_string(kNamesInFlight) + ":100KiB:a",
                                          "--list_first_byte_ms=50", "--journal_size=0"});
  MeasureListing(state, service, kNamesInFlight);
}

double InUseBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

double StatusBytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) * 1024;
  }
  throw std::runtime_error("no " + field);
}

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << 5; }

double BeyondName(double bytes) { return bytes / static_cast<double>(kNames) - static_cast<double>(kNameBytes); }

// In a process that has listed nothing before: reused memory would hide the memory of a listing.
void BM_ListingMemory(benchmark::State& state) {
  const Client client = *Client::Create(OptionsAt(Service().endpoint()));
  double in_use = 0;
  double peak = 0;
  for (auto _ : state) {
    malloc_trim(0);
    ResetPeak();
    const double in_use_before = InUseBytes();
    const double resident_before = StatusBytes("VmRSS");
    const auto listing = ListInParallel(client, {"bench"});
    if (!listing || listing->objects.size() != kNames) throw std::runtime_error("the listing is not whole");
    in_use = InUseBytes() - in_use_before;
    peak = StatusBytes("VmHWM") - resident_before;
  }
  state.counters["bytes"] = BeyondName(in_use);
  state.counters["peak_bytes"] = BeyondName(peak);
}

BENCHMARK(BM_BareListingLoop)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ListingCpu)->ArgName("parallelism")->Arg(1)->Arg(48)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ListingCpuInFlight)
    ->ArgName("parallelism")
    ->Arg(48)
    ->Arg(256)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ListingMemory)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
