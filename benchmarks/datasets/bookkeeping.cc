// How much time do the order of 1,000,000 samples, the position in it, the cursor's text and the report add to the
// downloads? A cursor is written for each batch, as in a loop that saves with each. Aim: 1 microsecond for each sample.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "dataset/dataset_tally.h"
#include "dataset/epoch_progress.h"

namespace gcsflux::bench {
namespace {

// Argument: batch.
void BM_Bookkeeping(benchmark::State& state) {
  constexpr std::uint64_t kSamples = 1'000'000;
  const ListingFingerprint listing{.bucket = "bench", .prefix = "train/", .count = kSamples};
  const auto batch_size = static_cast<std::uint64_t>(state.range(0));
  const auto progress = *internal::EpochProgress::Create(listing, {.seed = 7, .batch_size = batch_size});
  internal::DatasetTally tally;
  std::uint64_t samples = 0;
  for (auto _ : state) {
    static_cast<void>(progress.BeginEpoch());
    while (const auto batch = progress.NextBatch()) {
      samples += batch->size();
      for (const std::size_t sample : *batch) {
        const std::chrono::nanoseconds took(sample);
        tally.NoteArrival(took, 1, [&] { return "gs://bench/train/" + std::to_string(sample); });
        tally.NoteDecoding(took);
      }
      if (!progress.BatchConsumed()) return state.SkipWithError("a batch is missing");
      tally.NoteBatch({.samples = batch->size()});
      const std::string saved = FormatCursor(progress.cursor());
      benchmark::DoNotOptimize(saved.data());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  state.counters["us"] = benchmark::Counter(static_cast<double>(samples) * 1e-6,
                                            benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_Bookkeeping)->ArgName("batch")->Arg(16)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
