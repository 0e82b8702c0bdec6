#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <string>

#include "dataset/slowest_objects.h"
#include "gcsflux/dataset.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;

using internal::SlowestObjects;
using ::testing::HasSubstr;
using ::testing::Not;

std::ptrdiff_t LinesOf(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(FormatReport, ShowsEachValueWithItsUnit) {
  const DatasetReport report{
      .elapsed = 12500ms,
      .epochs = 2,
      .batches = 188,
      .samples = 12'000,
      .bytes = std::uint64_t{3} << 30,
      .wait_time = 250ms,
      .decode_time = 1500ms,
      .held_bytes = 5U << 20,
      .max_held_bytes = 256U << 20,
      .decoded_samples = 7,
      .decoded_bytes = 3U << 20,
      .max_decoded_bytes = 9U << 20,
      .skipped = 1,
      .skipped_objects = {{.name = "gs://b/bad.png", .reason = "no PNG"}},
      .slowest = {{.name = "gs://b/slow.png", .duration = 1250ms, .bytes = 2048}},
      .client = {.class_a_operations = 10, .class_b_operations = 11'700, .retries = 3, .throttled = 2, .hedges = 1},
      .price = 0.00473,
      .composition = {.composites = 10, .composed_objects = 320, .direct_objects = 11'680}};
  EXPECT_EQ(FormatReport(report),
            "12,000 samples, 3.0 GiB in 188 batches of 2 epochs in 12.5 s\n"
            "rate        960 samples/s, 245.8 MiB/s\n"
            "waiting     2.0 % of the time (0.25 s)\n"
            "decoding    1.50 s over all threads (12.0 % of one); 7 samples of 3.0 MiB decoded ahead, 9.0 MiB at most\n"
            "memory      5.0 MiB fetched ahead, 256.0 MiB at most\n"
            "requests    3 retried, 2 throttled, 1 hedged\n"
            "composites  10 for 320 objects, 11,680 objects directly, 0 fallbacks\n"
            "operations  10 of class A, 11,700 of class B: 0.0047 USD\n"
            "skipped     1 object, of them:\n"
            "  gs://b/bad.png: no PNG\n"
            "slowest\n"
            "  1.25 s  2.0 KiB  gs://b/slow.png\n");
}

TEST(FormatReport, OmitsCountersOfZero) {
  EXPECT_EQ(FormatReport({}),
            "0 samples, 0 B in 0 batches of 0 epochs in 0.00 s\n"
            "rate        0.0 samples/s, 0 B/s\n"
            "waiting     0.0 % of the time (0.00 s)\n"
            "memory      0 B fetched ahead, 0 B at most\n"
            "operations  0 of class A, 0 of class B: 0.0000 USD\n");
}

TEST(FormatReport, ShowsTheDiskCache) {
  CacheReport cache{.hits = 1,
                    .hit_bytes = 2048,
                    .misses = 3,
                    .stored = 2,
                    .stored_bytes = 1024,
                    .evictions = 4,
                    .evicted_bytes = 10,
                    .damaged = 1};
  EXPECT_THAT(
      FormatReport({.cache = cache}),
      HasSubstr("cache       1 hit of 2.0 KiB, 3 not there, 2 of 1.0 KiB stored, 4 of 10 B removed, 1 damaged\n"));
  cache.error = "no room";
  EXPECT_THAT(FormatReport({.cache = cache}), HasSubstr(", 1 damaged; keeps nothing more: no room\n"));
  EXPECT_THAT(FormatReport({.cache = {.error = "no room"}}), HasSubstr("cache       keeps nothing: no room\n"));
}

TEST(FormatReport, ShowsAnUnannouncedOrder) {
  EXPECT_THAT(FormatReport({.batches = 40, .unannounced_batches = 39}),
              HasSubstr("(0.00 s); 39 of 40 batches not announced, so not fetched ahead: MakeDataLoader()"));
}

TEST(FormatReport, HasAtMost26Lines) {
  DatasetReport report{.elapsed = 1s,
                       .unannounced_batches = 1,
                       .decode_time = 1s,
                       .skipped = 1'000,
                       .client = {.retries = 1, .throttled = 1, .hedges = 1}};
  report.composition = {.composites = 1, .fallbacks = 1, .last_failure = "503\nand more\n"};
  for (const char* bucket : {"a", "b", "c"}) {
    report.composition.reasons[bucket] = "no permission\n";
    report.composition.warnings[bucket] = "soft delete\n";
  }
  for (int i = 0; i < 20; ++i) {
    report.skipped_objects.push_back({.name = "gs://b/\n", .reason = "broken\nlines"});
    report.slowest.push_back({.name = "gs://b/\x1b[2J\n", .duration = 1s, .bytes = 1});
  }
  report.cache = {.hits = 1, .damaged = 1, .error = "disk full\n"};
  const std::string text = FormatReport(report);
  EXPECT_LE(LinesOf(text), 26);
  EXPECT_THAT(text, HasSubstr("composites  none in gs://a: no permission?; and 2 other buckets\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(FormatReport, TruncatesLongTexts) {
  const DatasetReport report{.skipped = 1,
                             .skipped_objects = {{.name = "gs://b/o", .reason = std::string(5'000, 'x')}}};
  EXPECT_LT(FormatReport(report).size(), 600U);
}

TEST(FormatReport, SurvivesExtremeNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  for (const double price : {-1.0, 0.0, 1e-300, 1e300, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (const std::chrono::nanoseconds time :
         {std::chrono::nanoseconds::min(), -1ns, 0ns, 1ns, std::chrono::nanoseconds::max()}) {
      const DatasetReport report{
          .elapsed = time, .samples = kMost, .bytes = kMost, .wait_time = time, .decode_time = time, .price = price};
      EXPECT_THAT(FormatReport(report), HasSubstr("18,446,744,073,709,551,615 samples"))
          << price << " " << time.count();
    }
  }
}

TEST(SlowestObjects, AreTheTenSlowestInOrder) {
  std::mt19937 random(7);
  std::vector<std::chrono::nanoseconds> all;
  SlowestObjects slowest;
  for (int i = 0; i < 1'000; ++i) {
    all.push_back(std::chrono::nanoseconds(random() % 500));
    slowest.Note(all.back(), 1, [&] { return std::to_string(all.back().count()); });
  }
  std::sort(all.rbegin(), all.rend());
  ASSERT_EQ(slowest.objects().size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(slowest.objects()[i].duration, all[i]) << i;
    EXPECT_EQ(slowest.objects()[i].name, std::to_string(all[i].count())) << i;
  }
}

TEST(SlowestObjects, KeepTheFirstOfEqualOnes) {
  SlowestObjects slowest;
  slowest.Note(2s, 20, [] { return "b"; });
  slowest.Note(3s, 30, [] { return "a"; });
  slowest.Note(2s, 21, [] { return "c"; });
  ASSERT_EQ(slowest.objects().size(), 3U);
  EXPECT_EQ(slowest.objects()[0].name, "a");
  EXPECT_EQ(slowest.objects()[1].name, "b");
  EXPECT_EQ(slowest.objects()[2].name, "c");
  EXPECT_EQ(slowest.objects()[2].bytes, 21U);
}

TEST(SlowestObjects, BuildNamesOnlyForKeptObjects) {
  SlowestObjects slowest;
  int names = 0;
  for (int i = 0; i < 1'000; ++i) {
    slowest.Note(1s, 1, [&] {
      ++names;
      return std::string("o");
    });
  }
  EXPECT_EQ(names, 10);
}

}  // namespace
}  // namespace gcsflux
