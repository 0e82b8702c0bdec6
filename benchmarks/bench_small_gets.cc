// What do 100 KiB reads through the client cost, beside a bare libcurl loop, as threads grow?
// The emulator runs in a process of its own; `cpu_us` is this process's CPU per request alone.
#include <benchmark/benchmark.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bare_curl.h"
#include "gcsflux/upload.h"
#include "process_cpu.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kObjectBytes = 100 << 10;
constexpr int kObjects = 64;
constexpr int kRequestsPerThread = 256;

struct Service {
  testing::EmulatorProcess process;
  Client client = *Client::Create({.endpoint = process.endpoint()});
  std::string content = std::string(kObjectBytes, 'g');

  Service() {
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
    for (int i = 0; i < kObjects; ++i) {
      if (!UploadObject(client, Name(i), AsBytes(content))) throw std::runtime_error("no object");
    }
  }
  static ObjectName Name(int index) { return {"bench", "object-" + std::to_string(index % kObjects)}; }
};

Service& TheService() {
  static Service service;
  return service;
}

// Each of `threads` threads reads kRequestsPerThread objects by `read(thread, index, buffer)`. The last buffers are
// compared with what was stored, outside the timed part.
template <class Read>
void Run(benchmark::State& state, const Read& read) {
  const auto threads = static_cast<std::size_t>(state.range(0));
  std::vector<std::string> buffers(threads, std::string(kObjectBytes, ' '));
  std::atomic<int> failures = 0;
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    {
      std::vector<std::jthread> workers;
      for (std::size_t t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
          for (int i = 0; i < kRequestsPerThread; ++i) {
            const auto buffer = std::as_writable_bytes(std::span(buffers[t]));
            if (!read(t, static_cast<int>(t) * 7 + i, buffer)) ++failures;
          }
        });
      }
    }
    cpu += ProcessCpuSeconds() - before;
  }
  for (const std::string& buffer : buffers) failures += buffer != TheService().content;
  if (failures > 0) state.SkipWithError("a read failed or gave other bytes");
  const double requests = static_cast<double>(state.iterations()) * static_cast<double>(threads) * kRequestsPerThread;
  state.SetItemsProcessed(static_cast<std::int64_t>(requests));
  state.SetBytesProcessed(static_cast<std::int64_t>(requests * kObjectBytes));
  state.counters["cpu_us"] = cpu * 1e6 / requests;
}

void BM_ClientRead(benchmark::State& state) {
  const Client& client = TheService().client;
  Run(state, [&](std::size_t, int index, std::span<std::byte> buffer) {
    return client.ReadObject(Service::Name(index), buffer).ok();
  });
}

void BM_BareCurlRead(benchmark::State& state) {
  std::vector<BareCurl> handles(static_cast<std::size_t>(state.range(0)));
  const std::string prefix = TheService().process.endpoint() + "/storage/v1/b/bench/o/";
  Run(state, [&](std::size_t thread, int index, std::span<std::byte> buffer) {
    return handles[thread].Get(prefix + Service::Name(index).name + "?alt=media", buffer);
  });
}

BENCHMARK(BM_BareCurlRead)->ArgName("threads")->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ClientRead)->ArgName("threads")->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
