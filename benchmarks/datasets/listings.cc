// How soon does the first batch arrive while 2,000,000 names are still being listed, and how long does it take to load
// a listing that another process has saved? Names are computed, and the emulator has profile gcs. Aims: 3 times one
// list page and one read, and 0.15 times the parallel listing.
#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "datasets/first_batch.h"
#include "datasets/service.h"
#include "gcsflux/listing.h"

namespace gcsflux::bench {
namespace {

constexpr const char* kBig = "big";
constexpr std::uint64_t kNames = 2'000'000;

const Service& BigService() {
  static const Service service({"--profile=gcs", "--virtual_buckets=big:2000000:100KiB:a"});
  return service;
}

void Check(const auto& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

void BM_OnePageAndRead(benchmark::State& state) {
  for (auto _ : state) {
    const Client client = BigService().MakeClient();
    const auto page = client.ListObjects({kBig});
    Check(page);
    Check(client.ReadObject({kBig, page->objects.front().name}));
  }
}
BENCHMARK(BM_OnePageAndRead)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_FirstBatch(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto dataset = std::make_unique<FirstBatch>(BigService().MakeClient(), ObjectName{kBig, ""}, 64);
    state.ResumeTiming();
    const std::string failure = dataset->Get();
    state.PauseTiming();
    dataset.reset();  // Its read-ahead and listing are abandoned.
    if (!failure.empty()) return state.SkipWithError(failure.c_str());
    state.ResumeTiming();
  }
}
BENCHMARK(BM_FirstBatch)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ListInParallel(benchmark::State& state) {
  for (auto _ : state) {
    const auto listing = ListInParallel(BigService().MakeClient(), {kBig, ""});
    Check(listing);
    if (listing->objects.size() != kNames) return state.SkipWithError("the listing is not whole");
  }
}
BENCHMARK(BM_ListInParallel)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_LoadListing(benchmark::State& state) {
  static const bool is_saved = [] {
    const Client client = BigService().MakeClient();
    auto listing = ListInParallel(client, {kBig, ""});
    Check(listing);
    Check(client.InsertBucket("saved"));
    Check(SaveListing(client, {"saved", "listing"}, {.prefix = {kBig, ""}, .objects = std::move(listing->objects)}));
    return true;
  }();
  for (auto _ : state) {
    const auto listing = LoadListing(BigService().MakeClient(), {"saved", "listing"});
    Check(listing);
    if (!is_saved || listing->objects.size() != kNames) return state.SkipWithError("the listing is not whole");
  }
}
BENCHMARK(BM_LoadListing)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
