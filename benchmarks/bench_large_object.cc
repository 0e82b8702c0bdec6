// How fast does one 256 MiB object go through one connection, each way, beside a bare libcurl?
// The emulator runs in a process of its own on the same cores.
#include <benchmark/benchmark.h>

#include <string>

#include "bare_curl.h"
#include "gcsflux/upload.h"
#include "process_cpu.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kBytes = 256U << 20;
const ObjectName kObject{"bench", "large"};

struct Service {
  testing::EmulatorProcess process;
  Client client = *Client::Create({.endpoint = process.endpoint()});
  std::string content = std::string(kBytes, 'l');

  Service() {
    for (std::size_t i = 0; i < kBytes; i += 64) content[i] = static_cast<char>(i >> 6);
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
    if (!UploadObject(client, kObject, AsBytes(content))) throw std::runtime_error("no object");
  }
};

Service& TheService() {
  static Service service;
  return service;
}

template <class Transfer>
void Run(benchmark::State& state, const Transfer& transfer) {
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    if (!transfer()) {
      state.SkipWithError("the transfer failed");
      return;
    }
    cpu += ProcessCpuSeconds() - before;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
  state.counters["cpu_ms"] = cpu * 1e3 / static_cast<double>(state.iterations());
}

void BM_BareCurlRead(benchmark::State& state) {
  BareCurl curl;
  std::string buffer(kBytes, ' ');
  const std::string url = TheService().process.endpoint() + "/storage/v1/b/bench/o/large?alt=media";
  Run(state, [&] { return curl.Get(url, std::as_writable_bytes(std::span(buffer))); });
  if (buffer != TheService().content) state.SkipWithError("other bytes came");
}

void BM_ClientRead(benchmark::State& state) {
  std::string buffer(kBytes, ' ');
  Run(state, [&] { return TheService().client.ReadObject(kObject, std::as_writable_bytes(std::span(buffer))).ok(); });
  if (buffer != TheService().content) state.SkipWithError("other bytes came");
}

void BM_BareCurlUpload(benchmark::State& state) {
  BareCurl curl;
  const std::string url = TheService().process.endpoint() +
                          "/upload/storage/v1/b/bench/o?uploadType=media&name=up&fields=name,generation,crc32c";
  Run(state, [&] { return curl.Post(url, AsBytes(TheService().content)); });
}

// As the client stores what is in memory: a resumable session in chunks of the default size.
void BM_ClientUpload(benchmark::State& state) {
  Run(state, [&] { return UploadObject(TheService().client, {"bench", "up"}, AsBytes(TheService().content)).ok(); });
}

BENCHMARK(BM_BareCurlRead)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ClientRead)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_BareCurlUpload)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ClientUpload)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
