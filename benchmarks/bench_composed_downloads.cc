// How much faster are downloads through temporary composites than one GET for each object over the same 16 connections?
// The emulator has profile gcs (latencies, stream rates, quotas). The baselines are bare libcurl loops with CRC32C, and
// our own downloads without composition, which separates the effects of composing and of the engine. Aims: 4 times the
// baseline for 100 KiB and 500 KiB, 2 for 3 MiB; 1.5 for batches of 8 objects of 150 MiB, by ranges. kAuto is at most
// 10 % slower than the better of kOn and kOff, for any time of a compose, and under a quota of 100 writes/s. Without
// shaping, a download's CPU is at most 1.5 times that of the bare loop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bare_curl.h"
#include "client_options.h"
#include "crc32c.h"
#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "memory_pool.h"
#include "process_cpu.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr int kConnections = 16;
constexpr const char* kBucket = "bench";
// The read-ahead of all compared ways: the memory of 16 composites of the largest size.
constexpr std::uint64_t kPrefetchBytes = kConnections * std::uint64_t{100'000'000};

enum Mode { kBare, kOff, kOn, kAuto };

// One class of objects: how many are fetched, and the rate of one stream if two cores, shared by emulator and client,
// cannot carry 16 streams of 250 MB/s; 0 keeps the profile's rate.
struct SizeClass {
  std::uint64_t bytes;
  std::size_t objects;
  double stream_mbps;
};
SizeClass ClassOf(std::int64_t kib) {
  switch (kib) {
    case 100: return {100 << 10, 2000, 0};
    case 500: return {500 << 10, 2000, 0};
    case 3072: return {3 << 20, 960, 100};
    default: return {150 << 20, 8, 30};
  }
}

// Copies of one object, which share its bytes in the emulator.
std::vector<DownloadSource> Store(const Client& client, const SizeClass& size) {
  std::string content(size.bytes, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 2654435761U >> 16U);
  std::vector<ObjectMetadata> stored;
  const ObjectName first{kBucket, "object-0"};
  if (client.InsertBucket(kBucket)) (void)client.InsertObject(first, AsBytes(content));
  for (std::size_t i = 0; i < size.objects; ++i) {
    const auto copy = client.CopyObject(first, {kBucket, "copy-" + std::to_string(i)});
    if (!copy) throw std::runtime_error(copy.error().message);
    stored.push_back(*copy);
  }
  return DownloadSources(stored);
}

Client ClientAt(const std::string& endpoint) {
  ClientOptions options = OptionsAt(endpoint);
  options.project = "bench";
  options.max_undelivered_bytes = kPrefetchBytes;
  return *Client::Create(options);
}

// The baseline: each thread has a connection and fetches the next object.
bool ReadBare(const std::string& endpoint, const std::vector<DownloadSource>& sources) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> failed = 0;
  std::vector<std::jthread> readers;
  readers.reserve(kConnections);
  for (int i = 0; i < kConnections; ++i) {
    readers.emplace_back([&] {
      BareCurl curl;
      for (std::size_t at = next++; at < sources.size(); at = next++) {
        const DownloadSource& source = sources[at];
        const auto memory = TheMemory().Take(source.size);
        const auto url = endpoint + "/storage/v1/b/" + kBucket + "/o/" + source.object.name + "?alt=media";
        if (curl.GetWithCrc32c(url, {memory.get(), source.size}) != source.crc32c) ++failed;
      }
    });
  }
  readers.clear();
  return failed == 0;
}

CompositionMode ModeOf(Mode mode) {
  return mode == kOn ? CompositionMode::kOn : mode == kAuto ? CompositionMode::kAuto : CompositionMode::kOff;
}

// Consumes each object as it arrives. The downloads verify its CRC32C.
std::string ReadStream(const Downloader& downloader, const std::vector<DownloadSource>& sources) {
  auto stream = downloader.Stream(sources, DeliveryOrder::kAsCompleted);
  std::size_t delivered = 0;
  while (true) {
    const auto object = stream.Next();
    if (!object) return object.error().message;
    if (!*object) break;
    ++delivered;
  }
  return delivered == sources.size() ? "" : "objects are missing";
}

void Read(benchmark::State& state, Mode mode, const std::string& endpoint, const std::vector<DownloadSource>& sources) {
  const std::uint64_t object_bytes = sources.front().size;
  TheMemory().Prepare(std::min<std::size_t>(sources.size(), kPrefetchBytes / object_bytes), object_bytes);
  double cpu = 0;
  CompositionReport report;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    if (mode == kBare) {
      if (!ReadBare(endpoint, sources)) return state.SkipWithError("a read failed");
    } else {
      state.PauseTiming();  // A program makes its Downloader once. The one of this iteration starts without estimates.
      const auto downloader = std::make_unique<Downloader>(
          ClientAt(endpoint), DownloaderOptions{.max_concurrency = kConnections,
                                                .allocator = [](std::size_t bytes) { return TheMemory().Take(bytes); },
                                                .composition = ModeOf(mode)});
      state.ResumeTiming();
      const std::string failure = ReadStream(*downloader, sources);
      if (!failure.empty()) return state.SkipWithError(failure.c_str());
      report = downloader->composition_report();
      state.PauseTiming();  // Its last composites are deleted.
    }
    cpu += ProcessCpuSeconds() - before;
    if (mode != kBare) state.ResumeTiming();
  }
  const auto objects = state.iterations() * static_cast<std::int64_t>(sources.size());
  state.SetItemsProcessed(objects);
  state.SetBytesProcessed(objects * static_cast<std::int64_t>(sources.front().size));
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(objects);
  state.counters["composites"] = static_cast<double>(report.composites);
  state.counters["direct"] = static_cast<double>(report.direct_objects);
}

// Arguments: mode, KiB, milliseconds of a compose, writes per second (0: the profile's).
void BM_Shaped(benchmark::State& state) {
  const SizeClass size = ClassOf(state.range(1));
  emulator::Emulator emulator;
  const Client client = ClientAt(emulator.endpoint());
  const auto sources = Store(client, size);
  emulator::Shaping shaping = emulator::ShapingProfile("gcs");
  if (size.stream_mbps > 0) shaping.stream_read_mbps = size.stream_mbps;
  shaping.compose_first_byte_ms = static_cast<double>(state.range(2));
  emulator::Quotas quotas = emulator::QuotasProfile("gcs");
  if (state.range(3) > 0) quotas.writes_per_second = static_cast<double>(state.range(3));
  emulator.shaping().Set(shaping);
  emulator.quotas().Set(quotas);
  Read(state, static_cast<Mode>(state.range(0)), emulator.endpoint(), sources);
}
BENCHMARK(BM_Shaped)
    ->Name("BM_Gcs")
    ->ArgNames({"mode", "kib", "compose_ms", "writes"})
    ->ArgsProduct({{kBare, kOff, kOn, kAuto}, {100, 500, 3072, 153600}, {100}, {0}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Shaped)
    ->Name("BM_Sweep")
    ->ArgNames({"mode", "kib", "compose_ms", "writes"})
    ->ArgsProduct({{kOff, kOn, kAuto}, {100, 500, 3072, 153600}, {30, 400}, {0}})
    ->ArgsProduct({{kOff, kOn, kAuto}, {100, 500, 3072, 153600}, {100}, {100}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Without shaping, with the emulator in its own process: the client's own CPU.
void BM_Unshaped(benchmark::State& state) {
  static const testing::EmulatorProcess emulator;
  static const auto sources = Store(ClientAt(emulator.endpoint()), {100 << 10, 2000, 0});
  Read(state, static_cast<Mode>(state.range(0)), emulator.endpoint(), sources);
}
BENCHMARK(BM_Unshaped)
    ->ArgName("mode")
    ->DenseRange(kBare, kAuto)
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
