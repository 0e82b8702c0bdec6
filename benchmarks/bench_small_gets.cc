// How much do 100 KiB reads through the client cost if each CRC32C is verified? From nginx on loopback, compared with
// wrk with as many connections (the machine's limit), and with a bare libcurl loop that sums CRC32C too (`cpu_us` is
// this process's CPU per read); over http and over TLS. A client without a gate shows the gate's cost without
// throttling.
#include <benchmark/benchmark.h>

#include <deque>
#include <initializer_list>
#include <string>

#include "bare_curl.h"
#include "bare_curl_loops.h"
#include "client_options.h"
#include "concurrent_reads.h"
#include "crc32c.h"
#include "gcsflux/client.h"
#include "nginx_object.h"
#include "process_cpu.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kObjectBytes = 100 << 10;
constexpr int kReadsPerThread = 256;

std::string Content() {
  std::string content(kObjectBytes, 'g');
  for (std::size_t i = 0; i < content.size(); i += 64) content[i] = static_cast<char>(i >> 6);
  return content;
}

struct Service {
  explicit Service(bool is_https)
      : nginx(content, is_https),
        client(*Client::Create(OptionsOf(nginx, /*pace_throttled=*/true))),
        client_without_gate(*Client::Create(OptionsOf(nginx, /*pace_throttled=*/false))) {}

  static ClientOptions OptionsOf(const NginxObject& nginx, bool pace_throttled) {
    ClientOptions options = OptionsAt(nginx.endpoint());
    options.credentials = Credentials::Anonymous();
    options.pace_throttled = pace_throttled;
    options.ca_file = nginx.ca_file();
    return options;
  }

  std::string content = Content();
  std::uint32_t crc32c = Crc32c(content);
  NginxObject nginx;
  Client client;
  Client client_without_gate;
};

// The benchmark's arguments.
std::size_t Threads(const benchmark::State& state) { return static_cast<std::size_t>(state.range(1)); }

const Service& ServiceOf(const benchmark::State& state) {
  static const Service http(false);
  if (state.range(0) == 0) return http;
  static const Service https(true);
  return https;
}

void Read(benchmark::State& state, const Client& client) {
  ReadConcurrently(state, Threads(state), kReadsPerThread, ServiceOf(state).content,
                   [&](std::size_t, int, std::span<std::byte> buffer) {
                     return client.ReadObject({NginxObject::kBucket, NginxObject::kName}, buffer).ok();
                   });
}

void BM_Wrk(benchmark::State& state) {
  const auto program = FindProgram("wrk");
  if (!program) {
    for (auto _ : state) {
    }
    return state.SetLabel("skipped: wrk is not installed");
  }
  const std::string threads = Threads(state) > 1 ? "2" : "1";  // as many as cores
  double rate = 0;
  for (auto _ : state) {
    const std::string report = OutputOf(*program + " -t" + threads + " -c" + std::to_string(Threads(state)) +
                                        " -d2s '" + ServiceOf(state).nginx.url() + "'");
    constexpr std::string_view kLabel = "Requests/sec:";
    const auto found = report.find(kLabel);
    if (found == std::string::npos) return state.SkipWithError("wrk gave no figure");
    rate = std::stod(report.substr(found + kLabel.size()));
    if (rate <= 0) return state.SkipWithError("wrk got no answer");
  }
  state.counters["items_per_second"] = rate;
}

void BM_BareCurlRead(benchmark::State& state) {
  const Service& service = ServiceOf(state);
  std::deque<BareCurl> handles;
  while (handles.size() < Threads(state)) handles.emplace_back(service.nginx.ca_file());
  ReadConcurrently(state, Threads(state), kReadsPerThread, service.content,
                   [&](std::size_t thread, int, std::span<std::byte> buffer) {
                     return handles[thread].GetWithCrc32c(service.nginx.url(), buffer) == service.crc32c;
                   });
}

// The cost of a thread per connection: the same reads over two event loops.
void BM_BareCurlLoops(benchmark::State& state) {
  const Service& service = ServiceOf(state);
  const int reads = static_cast<int>(Threads(state)) * kReadsPerThread;
  BareCurlLoops loops({.url = service.nginx.url(),
                       .ca_file = service.nginx.ca_file(),
                       .connections = Threads(state),
                       .bytes = kObjectBytes});
  bool is_good = loops.Get(static_cast<int>(Threads(state)), service.crc32c);  // opens the connections
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    is_good = loops.Get(reads, service.crc32c) && is_good;
    cpu += ProcessCpuSeconds() - before;
  }
  if (!is_good) state.SkipWithError("a read failed or gave other bytes");
  state.SetItemsProcessed(state.iterations() * reads);
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(state.iterations() * reads);
}

void BM_ClientRead(benchmark::State& state) { Read(state, ServiceOf(state).client); }
void BM_ClientReadWithoutGate(benchmark::State& state) { Read(state, ServiceOf(state).client_without_gate); }

// SkipWithError would count as a failure: a machine without nginx cannot answer the question.
template <void (*Run)(benchmark::State&)>
void WithNginx(benchmark::State& state) {
  if (FindProgram("nginx")) return Run(state);
  for (auto _ : state) {
  }
  state.SetLabel("skipped: nginx is not installed");
}

void Register(const char* name, void (*run)(benchmark::State&), std::initializer_list<int> all_threads = {1, 32, 64}) {
  auto* const registered = benchmark::RegisterBenchmark(name, run)->ArgNames({"tls", "threads"})->UseRealTime();
  for (const int threads : all_threads) registered->Args({0, threads});
  registered->Args({1, 32})->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  Register("BM_Wrk", &WithNginx<BM_Wrk>);
  Register("BM_BareCurlRead", &WithNginx<BM_BareCurlRead>);
  Register("BM_BareCurlLoops", &WithNginx<BM_BareCurlLoops>, {32, 64});
  Register("BM_ClientRead", &WithNginx<BM_ClientRead>);
  Register("BM_ClientReadWithoutGate", &WithNginx<BM_ClientReadWithoutGate>);
  return true;
}();

}  // namespace
}  // namespace gcsflux::bench
