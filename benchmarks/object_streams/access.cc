// How much do ranges at any offset cost, and small objects? Aims: 1,000 ranges of 64 KiB out of 2.5 GiB over 16
// connections of profile gcs take at most 1.2 times (1,000 first bytes / 16), and 1,000 adjacent ones of 4 KiB at most
// 16 requests. Objects of 1 MB and 16 MB take at most 1.05 times as long as UploadObject and ReadObject, with profile
// gcs (gcs:1); the run without latencies (gcs:0) shows the cost of the copy into memory.
#include <chrono>
#include <cstdint>
#include <vector>

#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "object_streams/service.h"

namespace gcsflux::bench {
namespace {

constexpr std::uint64_t kBytes = 160 * kBlockBytes;
constexpr std::size_t kRanges = 1'000;
constexpr std::size_t kRangeBytes = 64U << 10;

// Range i of those spread over the object.
std::uint64_t PlaceOf(std::size_t i) { return i * 7919 % kRanges * (kBytes / kRanges) + i % 7 * 1'000; }

DownloadSource SourceOf(const ObjectMetadata& stored) {
  return {{stored.bucket, stored.name}, stored.size, stored.generation, stored.crc32c};
}

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Of sequential reads of a range; 0 if one fails.
double MeanReadSeconds(const StreamService& service, const ObjectMetadata& stored) {
  constexpr std::size_t kReads = 60;
  std::vector<std::byte> room(kRangeBytes);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < kReads; ++i) {
    const ByteRange range{PlaceOf(i * 13 % kRanges), kRangeBytes};
    if (!service.client().ReadObject({stored.bucket, stored.name}, room, {.range = range})) return 0;
  }
  return SecondsSince(start) / kReads;
}

void BM_RandomRanges(benchmark::State& state) {
  StreamService service;
  const ObjectMetadata stored = service.Store(kBytes);
  service.BeLikeGcs(0, 0);
  std::vector<std::byte> room(kRanges * kRangeBytes);
  std::vector<RangeRead> ranges;
  for (std::size_t i = 0; i < kRanges; ++i) {
    ranges.push_back({PlaceOf(i), std::span(room).subspan(i * kRangeBytes, kRangeBytes)});
  }
  const double mean = MeanReadSeconds(service, stored);
  double took = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    const auto reader = ObjectReader::Open(service.client(), SourceOf(stored));
    if (mean == 0 || !reader || !reader->Read(ranges)) return state.SkipWithError("a read failed");
    took += SecondsSince(start);
  }
  const double ideal = kRanges * mean / ObjectReaderOptions().max_concurrency;
  state.counters["of_ideal"] = took / static_cast<double>(state.iterations()) / ideal;
  state.counters["first_byte_ms"] = mean * 1e3;
}

void BM_NeighbouringRanges(benchmark::State& state) {
  constexpr std::size_t kSmall = 4U << 10;
  StreamService service;
  const ObjectMetadata stored = service.Store(kBytes);
  service.BeLikeGcs(0, 0);
  std::vector<std::byte> room(kRanges * kSmall);
  std::vector<RangeRead> ranges;
  for (std::size_t i = 0; i < kRanges; ++i) {
    ranges.push_back({kBytes / 2 + i * kSmall, std::span(room).subspan(i * kSmall, kSmall)});
  }
  std::uint64_t requests = 0;
  for (auto _ : state) {
    const auto reader = ObjectReader::Open(service.client(), SourceOf(stored));
    if (!reader || !reader->Read(ranges)) return state.SkipWithError("a read failed");
    requests = std::max(requests, reader->requests());
  }
  state.counters["requests"] = static_cast<double>(requests);
}

std::span<const std::byte> Bytes(const benchmark::State& state) {
  return AsBytes(std::string_view(Block()).substr(0, static_cast<std::size_t>(state.range(0)) * 1'000'000));
}

void BM_UploadObject(benchmark::State& state) {
  StreamService service;
  if (state.range(1) == 1) service.BeLikeGcs(0, 0);
  for (auto _ : state) {
    if (!UploadObject(service.client(), service.NewName(), Bytes(state))) return state.SkipWithError("it failed");
  }
}

void BM_SmallSave(benchmark::State& state) {
  StreamService service;
  if (state.range(1) == 1) service.BeLikeGcs(0, 0);
  for (auto _ : state) {
    ObjectWriter writer(service.client(), service.NewName());
    if (!writer.Write(Bytes(state)) || !writer.Close()) return state.SkipWithError("it failed");
  }
}

void BM_ReadObject(benchmark::State& state) {
  StreamService service;
  const ObjectMetadata stored = service.Store(Bytes(state).size());
  if (state.range(1) == 1) service.BeLikeGcs(0, 0);
  std::vector<std::byte> room(stored.size);
  for (auto _ : state) {
    if (!service.client().ReadObject({stored.bucket, stored.name}, room)) return state.SkipWithError("it failed");
  }
}

void BM_SmallLoad(benchmark::State& state) {
  StreamService service;
  const ObjectMetadata stored = service.Store(Bytes(state).size());
  if (state.range(1) == 1) service.BeLikeGcs(0, 0);
  std::vector<std::byte> room(stored.size);
  for (auto _ : state) {
    auto reader = ObjectReader::Open(service.client(), SourceOf(stored));
    if (!reader || !reader->ReadNext(room) || !reader->VerifyWhole()) return state.SkipWithError("it failed");
  }
}

void Small(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"mb", "gcs"})->ArgsProduct({{1, 16}, {0, 1}});
  benchmark->UseRealTime()->Iterations(20)->Unit(benchmark::kMillisecond);
}

BENCHMARK(BM_RandomRanges)->UseRealTime()->Iterations(2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_NeighbouringRanges)->UseRealTime()->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_UploadObject)->Apply(Small);
BENCHMARK(BM_SmallSave)->Apply(Small);
BENCHMARK(BM_ReadObject)->Apply(Small);
BENCHMARK(BM_SmallLoad)->Apply(Small);

}  // namespace
}  // namespace gcsflux::bench
