// How fast does the emulator receive one upload of 256 MiB, compared with the limits of the machine? Without md5Hash in
// the answer: compared with one stream of iperf3 over loopback. With it: compared with MD5 itself, because the answer
// has the MD5 of all bytes. The emulator is a separate process; the client is a bare libcurl.
#include <benchmark/benchmark.h>
#include <openssl/evp.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "bare_curl.h"
#include "client_options.h"
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
  if (!Client::Create(OptionsAt(process.endpoint()))->InsertBucket("bench")) throw std::runtime_error("no bucket");
  const std::string url = process.endpoint() + "/upload/storage/v1/b/bench/o?uploadType=media&name=up&fields=" + fields;
  BareCurl curl;
  for (auto _ : state) {
    if (curl.Post(url, AsBytes(TheContent()))) continue;
    state.SkipWithError("the upload failed");
    return;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

// Bytes per second of one iperf3 stream over a second. The client retries until the server is ready: iperf3 would count
// a connection that only tests this as a run, and be busy.
double Iperf3Rate(const std::string& program) {
  const std::string port = std::to_string(FreePort());
  const Child server({program, "-s", "-B", "127.0.0.1", "-p", port});
  const auto rate = nlohmann::json::json_pointer("/end/sum_received/bits_per_second");
  for (int tries = 0; tries < 100; ++tries) {
    const auto report = nlohmann::json::parse(OutputOf(program + " -c 127.0.0.1 -t 1 -J -p " + port), nullptr, false);
    if (!report.is_discarded() && report.contains(rate)) return report[rate].get<double>() / 8;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw std::runtime_error("iperf3 gave no figure");
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
