// How much does a read cost while thousands are in flight? Objects of 100 KiB from a server that answers after a delay,
// as Cloud Storage does (delaying_server), by Downloader's streams, two bare libcurl event loops, and bare threads,
// with as many connections; without a delay, and from nginx, also by wrk. Each run is a separate process
// (in_flight_client): `cpu_us`, `switches` (waits) and `preemptions` are that process's per read, `peak_mib` is its
// peak memory, `threads` includes its main thread.
//
// How much does a read cost behind a quota, where it mostly waits? How much does an idle client cost?
#include <benchmark/benchmark.h>

#include <filesystem>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "client_options.h"
#include "event_loops/client_process.h"
#include "event_loops/content.h"
#include "gcsflux/client.h"
#include "nginx_object.h"
#include "peer.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kObjectBytes = 100 << 10;

// delaying_server as a child process.
class Server {
 public:
  Server(std::int64_t delay_ms, std::size_t bytes)
      : port_(FreePort()),
        child_({ProgramBeside("delaying_server"), "--port=" + std::to_string(port_),
                "--delay_ms=" + std::to_string(delay_ms), "--object_bytes=" + std::to_string(bytes)}) {
    AwaitListener(port_);
  }

  [[nodiscard]] std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  const int port_;
  const Child child_;
};

// Reads that last some seconds.
struct Row {
  std::int64_t connections;
  std::int64_t delay_ms;
  std::size_t reads;
};
constexpr Row kRows[] = {{32, 0, 60'000},     {64, 50, 3'600},     {256, 50, 14'000},
                         {1'024, 50, 40'000}, {2'048, 50, 40'000}, {4'096, 50, 50'000}};

ClientRun RunOf(const Row& row, const std::string& way, const std::string& endpoint) {
  return {.way = way,
          .endpoint = endpoint,
          .connections = static_cast<std::size_t>(row.connections),
          .warm_up = static_cast<std::size_t>(2 * row.connections),
          .reads = row.reads,
          .object_bytes = kObjectBytes};
}

// For several processes: sums of rates and means of the other figures.
void Show(benchmark::State& state, const std::vector<Figures>& processes) {
  for (const Figures& figures : processes) {
    if (figures.empty()) return state.SkipWithError("a client failed, see above");
    for (const auto& [name, value] : figures) {
      const bool is_rate = name == "items_per_second";
      state.counters[name] += is_rate ? value : value / static_cast<double>(processes.size());
    }
  }
}

void InFlight(benchmark::State& state, const std::string& way, const Row& row) {
  const Server server(row.delay_ms, kObjectBytes);
  for (auto _ : state) Show(state, {RunClient(RunOf(row, way, server.endpoint()))});
}

void Skip(benchmark::State& state, const std::string& program) {
  for (auto _ : state) {
  }
  state.SetLabel("skipped: " + program + " is not installed");
}

void Wrk(benchmark::State& state, const std::string& url) {
  const auto program = FindProgram("wrk");
  if (!program) return Skip(state, "wrk");
  for (auto _ : state) {
    const auto report = OutputOf(*program + " -t2 -c32 -d2s '" + url + "'");
    constexpr std::string_view kLabel = "Requests/sec:";
    const auto found = report.find(kLabel);
    if (found == std::string::npos) return state.SkipWithError("wrk gave no figure");
    state.counters["items_per_second"] = std::stod(report.substr(found + kLabel.size()));
  }
}

void WrkInFlight(benchmark::State& state) {
  const Server server(0, kObjectBytes);
  Wrk(state, server.endpoint() + "/object");
}

void FromNginx(benchmark::State& state, const std::string& way, bool is_https) {
  if (!FindProgram("nginx")) return Skip(state, "nginx");
  const NginxObject nginx(ContentOf(kObjectBytes), is_https);
  if (way == "wrk") return Wrk(state, nginx.url());
  ClientRun run =
      RunOf({.connections = 32, .delay_ms = 0, .reads = is_https ? 25'000U : 60'000U}, way, nginx.endpoint());
  run.ca_file = nginx.ca_file();
  for (auto _ : state) Show(state, {RunClient(run)});
}

// 4 processes of 64 connections, 250 reads/s each.
ClientRun PacedRun(const std::string& way, const std::string& endpoint) {
  return {
      .way = way, .endpoint = endpoint, .connections = 64, .warm_up = 500, .reads = 2'000, .object_bytes = 16 << 10};
}

void RunFourAtOnce(benchmark::State& state, const ClientRun& run) {
  for (auto _ : state) {
    std::vector<std::future<Figures>> clients;
    while (clients.size() < 4) clients.push_back(std::async(std::launch::async, RunClient, run));
    std::vector<Figures> processes;
    processes.reserve(clients.size());
    for (auto& client : clients) processes.push_back(client.get());
    Show(state, processes);
  }
}

// The emulator refuses reads above 1,000/s, as in the benchmark of policies (retry_policy).
void BehindQuota(benchmark::State& state, const std::string& way) {
  const testing::EmulatorProcess emulator(
      {"--reads_per_second=1000", "--quota_depth_ms=50", "--read_first_byte_ms=lognormal(50,80)", "--journal_size=0"});
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "bench"});
  ClientRun run = PacedRun(way, emulator.endpoint());
  const std::string content = ContentOf(run.object_bytes);
  if (!client.InsertBucket(NginxObject::kBucket)) return state.SkipWithError("no bucket");
  const auto object = client.InsertObject({NginxObject::kBucket, NginxObject::kName}, AsBytes(content));
  if (!object) return state.SkipWithError(object.error().message.c_str());
  run.generation = object->generation;
  RunFourAtOnce(state, run);
}

// The baseline, without refusals: the server is so slow that 64 connections reach 250 reads/s.
void PacedByServer(benchmark::State& state) {
  const ClientRun run = PacedRun("bare_loops", "");
  const Server server(256, run.object_bytes);
  ClientRun at_server = run;
  at_server.endpoint = server.endpoint();
  RunFourAtOnce(state, at_server);
}

void Idle(benchmark::State& state) {
  const Server server(0, kObjectBytes);
  for (auto _ : state)
    Show(state, {RunClient({.way = "idle", .endpoint = server.endpoint(), .object_bytes = kObjectBytes})});
}

template <class Run>
void Register(const std::string& name, const Run& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const Row& row : kRows) {
    const std::string where =
        "/connections:" + std::to_string(row.connections) + "/delay_ms:" + std::to_string(row.delay_ms);
    for (const std::string way : {"stream", "bare_loops", "bare_loops_untouched", "bare_threads"}) {
      if (way == "bare_threads" && row.connections > 1'024) continue;  // It would only measure the system's scheduler.
      Register("BM_InFlight/" + way + where, [=](benchmark::State& state) { InFlight(state, way, row); });
    }
  }
  Register("BM_InFlight/wrk/connections:32/delay_ms:0", &WrkInFlight);
  for (const std::string way : {"stream", "bare_loops", "bare_threads", "wrk"}) {
    for (const bool is_https : {false, true}) {
      Register("BM_FromNginx/" + way + "/tls:" + (is_https ? "1" : "0"),
               [=](benchmark::State& state) { FromNginx(state, way, is_https); });
    }
  }
  for (const std::string way : {"stream", "readers"}) {
    Register("BM_BehindQuota/" + way, [=](benchmark::State& state) { BehindQuota(state, way); });
  }
  Register("BM_PacedByServer/bare_loops", &PacedByServer);
  Register("BM_Idle", &Idle);
  return true;
}();

}  // namespace
}  // namespace gcsflux::bench
