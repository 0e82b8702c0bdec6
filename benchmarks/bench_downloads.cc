// How much does a Downloader cost compared with a loop that only reads? 2,000 objects of 100 KiB over 16 connections,
// from nginx on loopback, as a batch into new memory, into existing memory, and as a stream; the baseline is 16 threads
// that share the same reads, each a bare libcurl loop that sums CRC32C. `cpu_us` is this process's CPU per object. Aim:
// at most 1.5 times the baseline's.
//
// How much faster are ranges? 8 objects of 150 MiB over 16 connections, from an emulator that limits each stream to 20
// MB/s, so that the network is the limit and not this machine: whole (the baseline) and in ranges. Aim: at least 1.5
// times as fast.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bare_curl.h"
#include "client_options.h"
#include "crc32c.h"
#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "nginx_object.h"
#include "process_cpu.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kObjects = 2'000;
constexpr std::size_t kObjectBytes = 100 << 10;
constexpr std::size_t kConnections = 16;

std::string Content() {
  std::string content(kObjectBytes, 'd');
  for (std::size_t i = 0; i < content.size(); i += 64) content[i] = static_cast<char>(i >> 6);
  return content;
}

struct Service {
  Service() {
    ClientOptions options = OptionsAt(nginx.endpoint());
    options.credentials = Credentials::Anonymous();
    client = *Client::Create(options);
    sources.assign(kObjects, {.object = {NginxObject::kBucket, NginxObject::kName},
                              .size = kObjectBytes,
                              .generation = 1,
                              .crc32c = crc32c});
  }

  std::string content = Content();
  std::uint32_t crc32c = Crc32c(content);
  NginxObject nginx{content, false};
  std::optional<Client> client;
  std::vector<DownloadSource> sources;
};

const Service& TheService() {
  static const Service service;
  return service;
}

// Its bytes are the object's; the timed part does not read them.
bool IsRight(std::span<const std::byte> bytes) { return std::ranges::equal(bytes, AsBytes(TheService().content)); }

std::unique_ptr<std::byte[]> NewBlock() { return std::unique_ptr<std::byte[]>(new std::byte[kObjects * kObjectBytes]); }

// Runs `download` once untimed, for connections, then repeatedly; it returns whether it succeeded.
template <class Download>
void Measure(benchmark::State& state, const Download& download) {
  bool is_right = download();
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    is_right = download() && is_right;
    cpu += ProcessCpuSeconds() - before;
  }
  if (!is_right) state.SkipWithError("a read failed or gave other bytes");
  const auto objects = state.iterations() * static_cast<std::int64_t>(kObjects);
  state.SetItemsProcessed(objects);
  state.SetBytesProcessed(objects * static_cast<std::int64_t>(kObjectBytes));
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(objects);
}

// 16 threads that take one read after the other until the batch is done.
class BareLoops {
 public:
  BareLoops() : handles_(kConnections) {}

  bool Fill(std::byte* block) {
    std::atomic<std::size_t> next = 0;
    std::atomic<int> failures = 0;
    {
      std::vector<std::jthread> threads;
      for (BareCurl& handle : handles_) {
        threads.emplace_back([&] {
          for (std::size_t i = next++; i < kObjects; i = next++) {
            const std::span place(block + i * kObjectBytes, kObjectBytes);
            if (handle.GetWithCrc32c(TheService().nginx.url(), place) != TheService().crc32c) ++failures;
          }
        });
      }
    }
    return failures == 0 && IsRight({block, kObjectBytes});
  }

 private:
  std::deque<BareCurl> handles_;
};

void BM_BareCurlIntoNewMemory(benchmark::State& state) {
  BareLoops loops;
  Measure(state, [&] { return loops.Fill(NewBlock().get()); });
}

void BM_BareCurl(benchmark::State& state) {
  BareLoops loops;
  const auto block = NewBlock();
  Measure(state, [&] { return loops.Fill(block.get()); });
}

void BM_BatchIntoNewMemory(benchmark::State& state) {
  const Downloader downloader(*TheService().client, {.max_concurrency = kConnections});
  Measure(state, [&] {
    const auto batch = downloader.Download(TheService().sources);
    return batch.ok() && IsRight((*batch)[0].bytes);
  });
}

void BM_Batch(benchmark::State& state) {
  const Downloader downloader(*TheService().client, {.max_concurrency = kConnections});
  const auto block = NewBlock();
  std::vector<std::span<std::byte>> places;
  for (std::size_t i = 0; i < kObjects; ++i) places.emplace_back(block.get() + i * kObjectBytes, kObjectBytes);
  Measure(state, [&] {
    const auto batch = downloader.Download(TheService().sources, places);
    return batch.ok() && IsRight((*batch)[0].bytes);
  });
}

void BM_DownloadStream(benchmark::State& state) {
  const Downloader downloader(*TheService().client, {.max_concurrency = kConnections});
  Measure(state, [&] {
    DownloadStream stream = downloader.Stream(TheService().sources);
    for (std::size_t i = 0; i < kObjects; ++i) {
      const auto object = stream.Next();
      if (!object || !*object || (i == 0 && !IsRight((*object)->bytes))) return false;
    }
    return true;
  });
}

// SkipWithError would count as a failure: a machine without nginx cannot answer the question.
template <void (*Run)(benchmark::State&)>
void WithNginx(benchmark::State& state) {
  if (FindProgram("nginx")) return Run(state);
  for (auto _ : state) {
  }
  state.SetLabel("skipped: nginx is not installed");
}

BENCHMARK(WithNginx<BM_BareCurlIntoNewMemory>)->Name("BM_BareCurlIntoNewMemory")->UseRealTime();
BENCHMARK(WithNginx<BM_BatchIntoNewMemory>)->Name("BM_BatchIntoNewMemory")->UseRealTime();
BENCHMARK(WithNginx<BM_DownloadStream>)->Name("BM_DownloadStream")->UseRealTime();
BENCHMARK(WithNginx<BM_BareCurl>)->Name("BM_BareCurl")->UseRealTime();
BENCHMARK(WithNginx<BM_Batch>)->Name("BM_Batch")->UseRealTime();

void BM_LargeObjects(benchmark::State& state) {
  constexpr std::size_t kLargeObjects = 8;
  constexpr std::uint64_t kLargeBytes = std::uint64_t{150} << 20;
  emulator::Shaping shaping = emulator::ShapingProfile("gcs");
  shaping.stream_read_mbps = 20;
  const emulator::Emulator emulator(
      {.virtual_buckets = {{.name = "large", .count = kLargeObjects, .size_bytes = kLargeBytes}}, .shaping = shaping});
  const Client client = *Client::Create(OptionsAt(emulator.endpoint()));
  const auto listing = client.ListObjects({"large"});
  if (!listing || listing->objects.size() != kLargeObjects) return state.SkipWithError("the objects are missing");
  const auto sources = DownloadSources(listing->objects);
  const Downloader downloader(
      client, {.max_concurrency = kConnections, .range_bytes = static_cast<std::uint64_t>(state.range(0)) << 20});
  const std::unique_ptr<std::byte[]> block(new std::byte[kLargeObjects * kLargeBytes]());
  std::vector<std::span<std::byte>> places;
  for (std::size_t i = 0; i < kLargeObjects; ++i) places.emplace_back(block.get() + i * kLargeBytes, kLargeBytes);
  for (auto _ : state) {
    const auto batch = downloader.Download(sources, places);
    if (!batch) return state.SkipWithError(batch.error().message.c_str());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kLargeObjects * kLargeBytes));
}
BENCHMARK(BM_LargeObjects)->ArgName("range_mib")->Arg(0)->Arg(16)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
