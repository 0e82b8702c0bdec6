// How much do the emulator's virtual buckets cost, compared with loops that make the same names and bytes? All in this
// process, without HTTP.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mix.h"
#include "store/buckets/bucket.h"
#include "virtual/computed_content.h"
#include "virtual/virtual_objects.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kCount = 20'000'000;
constexpr std::size_t kPage = 5000;
constexpr std::uint64_t kStride = 7'654'321;  // from page to page, so that each starts at another name

VirtualBucket Description(const benchmark::State& state) {
  return {.name = "bench", .count = kCount, .pattern = static_cast<NamePattern>('a' + state.range(0))};
}

void SetItems(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items));
  state.SetLabel(std::string(1, static_cast<char>(Description(state).pattern)));
}

// Only the names of a page.
void BM_BareNames(benchmark::State& state) {
  const VirtualBucket description = Description(state);
  const auto names = MakeNameSet(description.pattern, kCount, description.seed);
  std::uint64_t first = 0;
  for (auto _ : state) {
    std::vector<std::string> page;
    for (std::uint64_t i = first; i < first + kPage; ++i) page.push_back(names->Name(i));
    benchmark::DoNotOptimize(page.data());
    first = (first + kStride) % (kCount - kPage);
  }
  SetItems(state, static_cast<std::uint64_t>(state.iterations()) * kPage);
}

void ListPages(benchmark::State& state, ListQuery query) {
  const auto objects = std::make_shared<const VirtualObjects>(Description(state));
  const Bucket bucket(
      {.name = "bench"}, [] { return Time(); }, objects);
  query.max_results = kPage;
  std::uint64_t first = 0;
  std::size_t items = 0;
  for (auto _ : state) {
    query.start_offset = objects->At(first)->name;
    const ListPage page = bucket.List(query);
    items += page.objects.size() + page.prefixes.size();
    if (page.objects.empty() && page.prefixes.empty()) state.SkipWithError("an empty page");
    first = (first + kStride) % (kCount - kPage);
  }
  SetItems(state, items);
}

void BM_ListPage(benchmark::State& state) { ListPages(state, {}); }
void BM_ListFoldedPage(benchmark::State& state) { ListPages(state, {.delimiter = "/"}); }

constexpr std::size_t kRun = std::size_t{64} << 10;
constexpr std::uint64_t kBytes = std::uint64_t{256} << 20;

// Another number in every eight bytes, into one buffer: the lower bound of computing bytes.
void BM_BareGenerator(benchmark::State& state) {
  std::vector<std::uint64_t> buffer(kRun / sizeof(std::uint64_t));
  std::uint64_t number = 1;
  for (auto _ : state) {
    for (std::uint64_t done = 0; done < kBytes; done += kRun) {
      for (std::uint64_t& word : buffer) word = Mix(number++);
      benchmark::DoNotOptimize(buffer.data());
      benchmark::ClobberMemory();
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

void BM_ReadContent(benchmark::State& state) {
  const Rope rope(std::make_shared<const ComputedContent>(1, kBytes));
  for (auto _ : state) {
    rope.ForEachSpan(0, kBytes, [](std::span<const std::byte> span) {
      benchmark::DoNotOptimize(span.data());
      benchmark::ClobberMemory();
      return true;
    });
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}

void BM_Crc32cOfContent(benchmark::State& state) {
  std::uint64_t key = 1;
  const std::uint64_t size = (std::uint64_t{1} << state.range(0)) - 1;  // as many one bits as possible: the longest way
  for (auto _ : state) benchmark::DoNotOptimize(ComputedContent(key++, size).crc32c());
}

BENCHMARK(BM_BareNames)->ArgName("pattern")->DenseRange(0, 7)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_ListPage)->ArgName("pattern")->DenseRange(0, 7)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_ListFoldedPage)->ArgName("pattern")->DenseRange(2, 4)->Arg(7)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_BareGenerator)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadContent)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Crc32cOfContent)->ArgName("size_bits")->Arg(17)->Arg(40);

}  // namespace
}  // namespace gcsflux::emulator
