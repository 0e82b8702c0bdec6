// How fast is an upload of 1 GiB of unknown length to the emulator through an ObjectWriter, compared with curl that
// sends a file of the same bytes and known length by one media POST with the same `fields`? The writer receives pieces
// of 1 MiB. `beyond_mib` is the peak growth of this process.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "client_options.h"
#include "crc32c.h"
#include "gcsflux/upload.h"
#include "peer.h"
#include "process_cpu.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kPieceBytes = 1U << 20;
constexpr std::size_t kPieces = 1024;
constexpr const char* kFields =
    "bucket,name,generation,metageneration,size,crc32c,etag,contentType,contentEncoding,storageClass,timeCreated,"
    "updated,metadata";

std::string Piece() {
  std::string piece(kPieceBytes, 'u');
  for (std::size_t i = 0; i < kPieceBytes; i += 64) piece[i] = static_cast<char>(i >> 6);
  return piece;
}

struct Service {
  testing::EmulatorProcess process;
  Client client = *Client::Create(OptionsAt(process.endpoint()));
  std::string piece = Piece();
  std::uint32_t crc32c = 0;

  Service() {
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
    for (std::size_t i = 0; i < kPieces; ++i) crc32c = ExtendCrc32c(crc32c, piece);
  }
};

const Service& TheService() {
  static const Service service;
  return service;
}

// The stored object equals the sent bytes.
void CheckStored(benchmark::State& state) {
  const auto stored = TheService().client.GetObject({"bench", "up"});
  if (!stored || stored->crc32c != TheService().crc32c) state.SkipWithError("other bytes were stored");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kPieceBytes * kPieces));
}

// In memory if it is large enough: the disk is not measured.
struct SourceFile {
  std::filesystem::path path = (std::filesystem::exists("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                                    : std::filesystem::temp_directory_path()) /
                               ("bench-upload-" + std::to_string(getpid()));
  SourceFile() {
    std::ofstream file(path);
    for (std::size_t i = 0; i < kPieces; ++i) file << TheService().piece;
  }
  ~SourceFile() { std::filesystem::remove(path); }
};

void BM_CurlMediaPost(benchmark::State& state) {
  const auto program = FindProgram("curl");
  if (!program) {
    for (auto _ : state) {
    }
    return state.SetLabel("skipped: curl is not installed");
  }
  const SourceFile source;
  const std::string command = *program + " -s -o /dev/null -w '%{http_code} %{time_total}' -X POST -H Expect: -T " +
                              source.path.string() + " '" + TheService().process.endpoint() +
                              "/upload/storage/v1/b/bench/o?uploadType=media&name=up&fields=" + kFields + "'";
  for (auto _ : state) {
    const std::string report = OutputOf(command);
    if (!report.starts_with("200 ")) return state.SkipWithError("curl could not upload");
    state.SetIterationTime(std::stod(report.substr(4)));
  }
  CheckStored(state);
}

bool Write(const Service& service) {
  ObjectWriter writer(service.client, {"bench", "up"}, {.path = WritePath::kOneStream});
  for (std::size_t i = 0; i < kPieces; ++i) {
    if (!writer.Write(AsBytes(service.piece))) return false;
  }
  return writer.Close().ok();
}

void BM_ObjectWriter(benchmark::State& state) {
  testing::ResetPeakMemory(getpid());
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  double cpu = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_before = ProcessCpuSeconds();
    if (!Write(TheService())) return state.SkipWithError("the upload failed");
    cpu += ProcessCpuSeconds() - cpu_before;
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  state.counters["cpu_ms"] = cpu * 1e3 / static_cast<double>(state.iterations());
  state.counters["beyond_mib"] =
      static_cast<double>(testing::MemoryFigure(getpid(), "VmHWM") - before) / (1024.0 * 1024.0);
  CheckStored(state);
}

BENCHMARK(BM_CurlMediaPost)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ObjectWriter)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
