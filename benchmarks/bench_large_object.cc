// How fast is a read of one 256 MiB object from nginx into memory that was touched before, as one stream and striped
// over 8 ranges, compared with curl that reads it into /dev/null? `beyond_mib` is the peak memory of the process
// without the destination.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "bare_curl.h"
#include "client_options.h"
#include "gcsflux/client.h"
#include "nginx_object.h"
#include "process_cpu.h"
#include "support/process_memory.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kBytes = 256U << 20;
// Each stream fetches its part repeatedly without waiting for the others, so that the start of a process or thread does
// not count.
constexpr int kRounds = 8;
const ObjectName kObject{NginxObject::kBucket, NginxObject::kName};

std::string Content() {
  std::string content(kBytes, 'l');
  for (std::size_t i = 0; i < kBytes; i += 64) content[i] = static_cast<char>(i >> 6);
  return content;
}

struct Service {
  std::string content = Content();
  NginxObject nginx{content, /*is_https=*/false};
  Client client = *Client::Create(OptionsAt(nginx.endpoint()));
};

const Service& TheService() {
  static const Service service;
  return service;
}

void ReportBytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

// Calls `read`, which fetches the object kRounds times, once untimed, so that connections exist.
template <class Read>
void Run(benchmark::State& state, std::string& buffer, const Read& read) {
  bool is_good = read();
  testing::ResetPeakMemory(getpid());
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  double cpu = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_before = ProcessCpuSeconds();
    is_good = read() && is_good;
    cpu += (ProcessCpuSeconds() - cpu_before) / kRounds;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(elapsed.count() / kRounds);
  }
  if (!is_good || buffer != TheService().content) return state.SkipWithError("a read failed or gave other bytes");
  ReportBytes(state);
  state.counters["cpu_ms"] = cpu * 1e3 / static_cast<double>(state.iterations());
  state.counters["beyond_mib"] =
      static_cast<double>(testing::MemoryFigure(getpid(), "VmHWM") - before) / (1024.0 * 1024.0);
}

std::size_t Streams(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

void BM_Curl(benchmark::State& state) {
  const auto program = FindProgram("curl");
  if (!program) {
    for (auto _ : state) {
    }
    return state.SetLabel("skipped: curl is not installed");
  }
  const std::size_t stripe = kBytes / Streams(state);
  std::string command;
  for (std::size_t i = 0; i < Streams(state); ++i) {
    const std::string range = std::to_string(i * stripe) + "-" + std::to_string((i + 1) * stripe - 1);
    const bool is_whole = Streams(state) == 1;
    command += *program + " -sf " + (is_whole ? "" : "-r " + range) + " -o /dev/null '" + TheService().nginx.url() +
               "&round=[1-" + std::to_string(kRounds) + "]' -w '%{size_download}\\n' & ";
  }
  command += "wait";
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const std::string sizes = OutputOf(command);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(elapsed.count() / kRounds);
    const auto lines = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), '\n'));
    const bool is_whole = lines == Streams(state) * kRounds && sizes.starts_with(std::to_string(stripe) + "\n");
    if (!is_whole) return state.SkipWithError("curl did not read the object");
  }
  ReportBytes(state);
}

void BM_BareCurlRead(benchmark::State& state) {
  BareCurl curl;
  std::string buffer(kBytes, ' ');
  Run(state, buffer, [&] {
    bool is_good = true;
    for (int round = 0; round < kRounds; ++round) {
      is_good = curl.Get(TheService().nginx.url(), std::as_writable_bytes(std::span(buffer))) && is_good;
    }
    return is_good;
  });
}

bool ReadPart(std::string& buffer, std::size_t offset, std::size_t size) {
  const auto part = std::as_writable_bytes(std::span(buffer)).subspan(offset, size);
  ReadObjectOptions options;
  if (size < kBytes) options.range = ByteRange{offset, size};
  return TheService().client.ReadObject(kObject, part, options).ok();
}

bool ReadStriped(std::string& buffer, std::size_t stripe) {
  std::atomic<bool> is_good = true;
  const auto read = [&](std::size_t offset) {
    for (int round = 0; round < kRounds; ++round) {
      if (!ReadPart(buffer, offset, stripe)) is_good = false;
    }
  };
  {
    std::list<std::jthread> threads;
    for (std::size_t offset = stripe; offset < kBytes; offset += stripe) threads.emplace_back(read, offset);
    read(0);
  }
  return is_good;
}

void BM_ClientRead(benchmark::State& state) {
  std::string buffer(kBytes, ' ');
  Run(state, buffer, [&] { return ReadStriped(buffer, kBytes / Streams(state)); });
}

// SkipWithError would count as a failure: a machine without nginx cannot answer the question.
template <void (*Measure)(benchmark::State&)>
void WithNginx(benchmark::State& state) {
  if (FindProgram("nginx")) return Measure(state);
  for (auto _ : state) {
  }
  state.SetLabel("skipped: nginx is not installed");
}

const bool kRegistered = [] {
  const auto named = [](const char* name, void (*run)(benchmark::State&)) {
    return benchmark::RegisterBenchmark(name, run)
        ->ArgName("streams")
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(1);
  };
  named("BM_Curl", &WithNginx<BM_Curl>)->Arg(1)->Arg(8);
  named("BM_BareCurlRead", &WithNginx<BM_BareCurlRead>)->Arg(1);
  named("BM_ClientRead", &WithNginx<BM_ClientRead>)->Arg(1)->Arg(8);
  return true;
}();

}  // namespace
}  // namespace gcsflux::bench
