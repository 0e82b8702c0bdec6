// How fast are samples of tar shards, compared with ObjectReader on the same shards, and with the same samples as
// single objects? 2,000 samples of 100 KiB in 8 shards; the emulator is a separate process, 16 connections. Aims, as
// GCS: shards without an index at 0.9 of ObjectReader's rate, at 8 times a GET for each sample, and at least as fast as
// composed single objects; with an index, shuffled by sample, at 0.9 of single objects read directly. Without shaping,
// the CPU per byte is at most 1.2 times that of ObjectReader, and parsing and grouping take at most 2 us for a member.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "datasets/service.h"
#include "formats/tar/tar_header.h"
#include "formats/tar/tar_parser.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/shards.h"
#include "gcsflux/torch/shard_dataset.h"
#include "process_cpu.h"
#include "shards/sample_collector.h"

namespace gcsflux::bench {
namespace {

constexpr int kShards = 8;
constexpr int kSamples = 2000;
constexpr std::size_t kSampleBytes = 100 << 10;
constexpr int kConnections = 16;
constexpr std::uint64_t kBatch = 64;

enum Way { kReader, kScanned, kScannedShuffled, kIndexed, kIndexedShuffled, kSingle, kComposed };

std::string ShardBytes(int shard, std::size_t sample_bytes, int samples) {
  std::string tar;
  const std::string content(sample_bytes, 'x');
  for (int i = 0; i < samples; ++i) {
    const std::string key = std::to_string(1'000'000 + shard * samples + i);
    tar += internal::WriteTarHeader(key + ".bin", content.size(), 0) + content;
    tar.resize(internal::TarPadded(tar.size()), '\0');
  }
  return tar + std::string(2 * internal::kTarBlock, '\0');
}

// The same shards twice, without indexes and with them, and the samples as single objects.
class Stored {
 public:
  Stored() {
    const Client client = service.MakeClient();
    objects = service.Store({.bytes = kSampleBytes, .objects = kSamples});
    for (int shard = 0; shard < kShards; ++shard) {
      const std::string bytes = ShardBytes(shard, kSampleBytes, kSamples / kShards);
      for (const char* prefix : {"plain/", "indexed/"}) {
        ValueOrThrow(
            client.InsertObject({kBucket, prefix + std::to_string(shard) + ".tar"}, std::as_bytes(std::span(bytes))));
      }
    }
    ValueOrThrow(IndexShards(client, {kBucket, "indexed/"}));
  }

  Service service;
  std::vector<ListedObject> objects;
};

DatasetOptions OptionsOf(CompositionMode mode) {
  return {.download = {.max_concurrency = kConnections, .adapts_concurrency = false, .composition = mode},
          .fetch_across_epochs = false};
}

// How many bytes the samples of an epoch have.
template <class Dataset>
std::uint64_t BytesOfEpoch(const Dataset& dataset) {
  std::uint64_t bytes = 0;
  for (const auto& batch : dataset.Epoch()) {
    for (const std::size_t sample : batch.samples) bytes += sample;
  }
  return bytes;
}

std::uint64_t ReadShards(const Client& client) {
  std::uint64_t bytes = 0;
  const auto listing = ValueOrThrow(ListInParallel(client, {kBucket, "plain/"}));
  for (const DownloadSource& source : DownloadSources(kBucket, listing.objects)) {
    auto reader =
        ValueOrThrow(ObjectReader::Open(client, source, {.max_concurrency = kConnections, .reads_whole = true}));
    while (true) {
      const auto view = ValueOrThrow(reader.NextView());
      if (view.empty()) break;
      bytes += view.size();
    }
    ValueOrThrow(reader.VerifyWhole());
  }
  return bytes;
}

// Runs one epoch after the other, and returns the bytes of its samples.
using Epochs = std::function<std::uint64_t()>;

Epochs EpochsOf(const Client& client, const Stored& stored, Way way) {
  if (way == kReader) return [client] { return ReadShards(client); };
  const bool is_shuffled = way != kScanned && way != kIndexed;
  const EpochOptions epochs{.order = is_shuffled ? SampleOrder::kShuffled : SampleOrder::kByName,
                            .shuffle_buffer = 500,
                            .seed = 7,
                            .batch_size = kBatch};
  if (way == kSingle || way == kComposed) {
    const auto size = [](const ListedObject&, std::span<const std::byte> bytes) { return bytes.size(); };
    const auto dataset = BasicIterableDataset<std::size_t>::OfListing(
        client, {.prefix = {kBucket, ""}, .objects = stored.objects}, size, epochs,
        OptionsOf(way == kSingle ? CompositionMode::kOff : CompositionMode::kAuto));
    return [dataset] { return BytesOfEpoch(dataset); };
  }
  const auto size = [](const ShardSample& sample) { return ValueOrThrow(sample.Member("bin")).size(); };
  const bool is_indexed = way == kIndexed || way == kIndexedShuffled;
  const BasicShardDataset<std::size_t> dataset(client, {kBucket, is_indexed ? "indexed/" : "plain/"}, size, epochs,
                                               OptionsOf(CompositionMode::kOff));
  return [dataset] { return BytesOfEpoch(dataset); };
}

void Time(benchmark::State& state, const Epochs& epoch) {
  double cpu = 0;
  for (auto _ : state) {
    const double before = ProcessCpuSeconds();
    const std::uint64_t bytes = epoch();
    cpu += ProcessCpuSeconds() - before;
    if (bytes < kSamples * kSampleBytes) return state.SkipWithError("samples are missing");
  }
  state.SetItemsProcessed(state.iterations() * kSamples);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kSamples * kSampleBytes));
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(state.iterations() * kSamples);
}

// As Cloud Storage. Argument: way.
void BM_ShardsGcs(benchmark::State& state) {
  const Stored stored;
  stored.service.BeLikeGcs(0);
  // Each epoch has everything to learn.
  Time(state, [&] { return EpochsOf(stored.service.MakeClient(), stored, static_cast<Way>(state.range(0)))(); });
}
BENCHMARK(BM_ShardsGcs)
    ->ArgName("way")
    ->DenseRange(kReader, kComposed)
    ->Iterations(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Without shaping. Argument: way.
void BM_ShardsUnshaped(benchmark::State& state) {
  static const Stored stored;
  const Epochs epochs = EpochsOf(stored.service.MakeClient(), stored, static_cast<Way>(state.range(0)));
  epochs();  // Memory is new in the first one.
  Time(state, epochs);
}
BENCHMARK(BM_ShardsUnshaped)
    ->ArgName("way")
    ->DenseRange(kReader, kComposed)
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Members of 16 bytes: the CPU of parsing and grouping for each, in nanoseconds.
void BM_ShardMembers(benchmark::State& state) {
  constexpr int kMembers = 20'000;
  const std::string tar = ShardBytes(0, 16, kMembers);
  const auto blocks = std::make_shared<internal::BlockPool>(1 << 20);
  for (auto _ : state) {
    int samples = 0;
    internal::SampleCollector collector({.listed = {.name = "x.tar", .size = tar.size()}, .uri = "x.tar"}, *blocks,
                                        [&](const internal::HeldSample& sample) -> Result<void> {
                                          auto parsed = internal::SampleIn(
                                              sample.listed, std::span(sample.memory.get(), sample.bytes));
                                          if (!parsed) return parsed.error();
                                          ++samples;
                                          return {};
                                        });
    for (std::size_t at = 0; at < tar.size(); at += 1 << 20) {
      ValueOrThrow(
          collector.Feed(std::as_bytes(std::span(tar)).subspan(at, std::min<std::size_t>(1 << 20, tar.size() - at))));
    }
    ValueOrThrow(collector.Finish());
    if (samples != kMembers) return state.SkipWithError("members are missing");
  }
  state.SetItemsProcessed(state.iterations() * kMembers);
  state.counters["ns"] =
      benchmark::Counter(static_cast<double>(kMembers) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_ShardMembers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
