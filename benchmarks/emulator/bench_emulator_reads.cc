// How fast does the emulator serve reads, compared with nginx that serves the same bytes from files? 100 KiB objects
// over 32 connections, and one object of 256 MiB over one. Each server is a separate process; the client is a bare
// libcurl loop on the same cores.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bare_curl.h"
#include "client_options.h"
#include "concurrent_reads.h"
#include "gcsflux/upload.h"
#include "peer.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kSmallBytes = 100 << 10;
constexpr std::size_t kLargeBytes = 256U << 20;
constexpr std::size_t kConnections = 32;
constexpr int kReadsPerConnection = 256;

std::string Content(std::size_t size) {
  std::string content(size, 'e');
  for (std::size_t i = 0; i < size; i += 64) content[i] = static_cast<char>(i >> 6);
  return content;
}

struct Contents {
  std::string small = Content(kSmallBytes);
  std::string large = Content(kLargeBytes);
};

const Contents& TheContents() {
  static const Contents contents;
  return contents;
}

struct EmulatorService {
  testing::EmulatorProcess process;
  std::string small_url = process.endpoint() + "/storage/v1/b/bench/o/small?alt=media";
  std::string large_url = process.endpoint() + "/storage/v1/b/bench/o/large?alt=media";

  EmulatorService() {
    const Client client = *Client::Create(OptionsAt(process.endpoint()));
    const bool stored = client.InsertBucket("bench").ok() &&
                        UploadObject(client, {"bench", "small"}, AsBytes(TheContents().small)).ok() &&
                        UploadObject(client, {"bench", "large"}, AsBytes(TheContents().large)).ok();
    if (!stored) throw std::runtime_error("the emulator does not take the objects");
  }
};

struct NginxService {
  std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("bench-nginx-" + std::to_string(getpid()));
  std::optional<Nginx> server;
  std::string small_url;
  std::string large_url;

  NginxService() {
    std::filesystem::create_directory(directory);
    std::ofstream(directory / "small") << TheContents().small;
    std::ofstream(directory / "large") << TheContents().large;
    server.emplace(directory.string());
    small_url = server->endpoint() + "/small";
    large_url = server->endpoint() + "/large";
  }
  ~NginxService() {
    server.reset();
    std::filesystem::remove_all(directory);
  }
};

template <class Service>
void ReadSmall(benchmark::State& state) {
  const Service service;
  std::vector<BareCurl> connections(kConnections);
  ReadConcurrently(state, kConnections, kReadsPerConnection, TheContents().small,
                   [&](std::size_t thread, int, std::span<std::byte> buffer) {
                     return connections[thread].Get(service.small_url, buffer);
                   });
}

template <class Service>
void ReadLarge(benchmark::State& state) {
  const Service service;
  BareCurl connection;
  ReadConcurrently(state, 1, 1, TheContents().large, [&](std::size_t, int, std::span<std::byte> buffer) {
    return connection.Get(service.large_url, buffer);
  });
}

// SkipWithError would count as a failure: a machine without nginx lacks only the baseline.
template <void (*Run)(benchmark::State&)>
void WithNginx(benchmark::State& state) {
  if (FindProgram("nginx")) return Run(state);
  for (auto _ : state) {
  }
  state.SetLabel("skipped: nginx is not installed");
}

void BM_NginxSmall(benchmark::State& state) { WithNginx<ReadSmall<NginxService>>(state); }
void BM_EmulatorSmall(benchmark::State& state) { ReadSmall<EmulatorService>(state); }
void BM_NginxLarge(benchmark::State& state) { WithNginx<ReadLarge<NginxService>>(state); }
void BM_EmulatorLarge(benchmark::State& state) { ReadLarge<EmulatorService>(state); }

BENCHMARK(BM_NginxSmall)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_EmulatorSmall)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_NginxLarge)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_EmulatorLarge)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
