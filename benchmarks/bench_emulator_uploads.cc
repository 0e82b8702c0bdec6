// How fast does the emulator take one upload of 256 MiB, beside what the machine can do?
// Without md5Hash in the answer: beside iperf3's single stream over loopback. With it: beside MD5 itself, since GCS's
// answer holds the MD5 of all bytes. The emulator runs in a process of its own; the client is a bare libcurl.
#include <benchmark/benchmark.h>
#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bare_curl.h"
#include "gcsflux/client.h"
#include "peer.h"
#include "support/emulator_process.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kBytes = 256U << 20;

const std::string& TheContent() {
  static const std::string content(kBytes, 'u');
  return content;
}

void Upload(benchmark::State& state, const std::string& fields) {
  const testing::EmulatorProcess process;
  if (!Client::Create({.endpoint = process.endpoint()})->InsertBucket("bench")) throw std::runtime_error("no bucket");
  const std::string url = process.endpoint() + "/upload/storage/v1/b/bench/o?uploadType=media&name=up&fields=" + fields;
  BareCurl curl;
  for (auto _ : state) {
    if (curl.Post(url, AsBytes(TheContent()))) continue;
    state.SkipWithError("the upload failed");
    return;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

// Bytes per second of one iperf3 stream over a second.
double Iperf3Rate(const std::string& program) {
  const int port = FreePort();
  const Child server({program, "-s", "-B", "127.0.0.1", "-p", std::to_string(port)});
  AwaitListener(port);
  const std::string command = program + " -c 127.0.0.1 -t 1 -J -p " + std::to_string(port);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string output;
  std::array<char, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe.get()))
    output.append(block.data(), count);
  const auto report = nlohmann::json::parse(output, nullptr, false);
  const auto rate = nlohmann::json::json_pointer("/end/sum_received/bits_per_second");
  if (report.is_discarded() || !report.contains(rate)) throw std::runtime_error("iperf3 gave no figure");
  return report[rate].get<double>() / 8;
}

void BM_Iperf3(benchmark::State& state) {
  const auto program = FindProgram("iperf3");
  double rate = 0;
  for (auto _ : state) rate = program ? Iperf3Rate(*program) : 0;
  if (program) {
    state.counters["bytes_per_second"] =
        benchmark::Counter(rate, benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
  } else {
    state.SetLabel("skipped: iperf3 is not installed");
  }
}

void BM_Md5(benchmark::State& state) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  for (auto _ : state) {
    EVP_Digest(TheContent().data(), TheContent().size(), digest.data(), nullptr, EVP_md5(), nullptr);
    benchmark::DoNotOptimize(digest);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

void BM_UploadWithoutMd5(benchmark::State& state) { Upload(state, "name,generation,crc32c"); }
void BM_UploadWithMd5(benchmark::State& state) { Upload(state, "name,generation,crc32c,md5Hash"); }

BENCHMARK(BM_Iperf3)->UseRealTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_UploadWithoutMd5)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Md5)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_UploadWithMd5)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
