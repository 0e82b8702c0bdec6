// How much does it cost the emulator to compose and copy objects of 1 GiB, compared with moving as many bytes once?
// `resident_growth` is the growth in bytes of the emulator, a separate process, at the end.
#include <benchmark/benchmark.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bare_curl.h"
#include "client_options.h"
#include "gcsflux/upload.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 30;

// An emulator with an object "large".
struct Service {
  testing::EmulatorProcess process;

  Service() {
    const Client client = *Client::Create(OptionsAt(process.endpoint()));
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
    const std::string content(kBytes, 'l');
    if (!UploadObject(client, {"bench", "large"}, AsBytes(content))) throw std::runtime_error("no object");
  }
};

void Post(benchmark::State& state, const std::string& path, const std::string& body) {
  static const Service service;
  const std::string url = service.process.endpoint() + "/storage/v1/b/bench/o/" + path;
  const auto resident = [] { return static_cast<double>(testing::MemoryFigure(service.process.pid(), "VmRSS")); };
  const double before = resident();
  BareCurl curl;
  for (auto _ : state) {
    if (!curl.Post(url, AsBytes(body))) return state.SkipWithError("the request failed");
  }
  state.counters["resident_growth"] = resident() - before;
}

void BM_Memcpy(benchmark::State& state) {
  const std::vector<std::byte> from(kBytes, std::byte{1});
  std::vector<std::byte> to(kBytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kBytes);
    benchmark::ClobberMemory();
  }
}

void BM_Compose(benchmark::State& state) {
  Post(state, "composed/compose", R"({"sourceObjects":[{"name":"large"},{"name":"large"}]})");
}
void BM_Copy(benchmark::State& state) { Post(state, "large/copyTo/b/bench/o/copy?fields=name", ""); }
void BM_Rewrite(benchmark::State& state) { Post(state, "large/rewriteTo/b/bench/o/copy?fields=done", ""); }

BENCHMARK(BM_Memcpy)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Compose)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Copy)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Rewrite)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gcsflux::bench
