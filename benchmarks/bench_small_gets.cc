// What do 100 KiB reads through the client cost, beside a bare libcurl loop, as threads grow?
// The emulator runs in a process of its own; `cpu_us` is this process's CPU per request alone.
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bare_curl.h"
#include "concurrent_reads.h"
#include "gcsflux/upload.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kObjectBytes = 100 << 10;
constexpr int kObjects = 64;
constexpr int kReadsPerThread = 256;

struct Service {
  testing::EmulatorProcess process;
  Client client = *Client::Create({.endpoint = process.endpoint()});
  std::string content = std::string(kObjectBytes, 'g');

  Service() {
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
    for (int i = 0; i < kObjects; ++i) {
      if (!UploadObject(client, Name(0, i), AsBytes(content))) throw std::runtime_error("no object");
    }
  }
  // Threads begin at different objects.
  static ObjectName Name(std::size_t thread, int index) {
    return {"bench", "object-" + std::to_string((thread * 7 + static_cast<std::size_t>(index)) % kObjects)};
  }
};

Service& TheService() {
  static Service service;
  return service;
}

void Run(benchmark::State& state, const ReadOnce& read) {
  ReadConcurrently(state, static_cast<std::size_t>(state.range(0)), kReadsPerThread, TheService().content, read);
}

void BM_ClientRead(benchmark::State& state) {
  const Client& client = TheService().client;
  Run(state, [&](std::size_t thread, int index, std::span<std::byte> buffer) {
    return client.ReadObject(Service::Name(thread, index), buffer).ok();
  });
}

void BM_BareCurlRead(benchmark::State& state) {
  std::vector<BareCurl> handles(static_cast<std::size_t>(state.range(0)));
  const std::string prefix = TheService().process.endpoint() + "/storage/v1/b/bench/o/";
  Run(state, [&](std::size_t thread, int index, std::span<std::byte> buffer) {
    return handles[thread].Get(prefix + Service::Name(thread, index).name + "?alt=media", buffer);
  });
}

BENCHMARK(BM_BareCurlRead)->ArgName("threads")->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ClientRead)->ArgName("threads")->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
