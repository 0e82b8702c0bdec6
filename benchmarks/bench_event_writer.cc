// What does a scalar cost the thread that trains? The baseline is a line of CSV by fprintf() to a local file, which
// waits for the disk when its buffer is full. `us` is the wall time of one scalar, in microseconds.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "client_options.h"
#include "gcsflux/event_writer.h"
#include "support/test_directory.h"

namespace gcsflux::bench {
namespace {

constexpr int kScalars = 200'000;
constexpr const char* kTags[] = {"train/loss", "train/accuracy", "data/wait_share", "optimizer/learning_rate"};

// Times the scalars of an iteration.
template <class Add>
void Measure(benchmark::State& state, const Add& add) {
  double seconds = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kScalars; ++i) add(kTags[i % 4], 1.0 / (1 + i), i / 4);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const double scalars = static_cast<double>(state.iterations()) * kScalars;
  state.counters["us"] = 1e6 * seconds / scalars;
  state.SetItemsProcessed(static_cast<std::int64_t>(scalars));
}

void BM_CsvLine(benchmark::State& state) {
  const testing::TestDirectory directory;
  std::FILE* const file = std::fopen((directory.path() / "scalars.csv").c_str(), "w");
  if (file == nullptr) return state.SkipWithError("no file");
  Measure(state, [&](const char* tag, double value, int step) { std::fprintf(file, "%s,%d,%g\n", tag, step, value); });
  std::fclose(file);
}

// With room for all events, so that none is dropped, which would be faster.
void BM_AddScalar(benchmark::State& state) {
  const testing::TestDirectory directory;
  const auto client = Client::Create(OptionsAt("http://127.0.0.1:1"));  // Local files need no service.
  auto events = EventWriter::Open(*client, directory.path() / "run", {.max_pending_bytes = std::size_t{1} << 30});
  if (!events) return state.SkipWithError(events.error().message.c_str());
  Measure(state, [&](const char* tag, double value, int step) { events->AddScalar(tag, value, step); });
  if (const auto closed = events->Close(); !closed) state.SkipWithError(closed.error().message.c_str());
}

BENCHMARK(BM_CsvLine)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AddScalar)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
