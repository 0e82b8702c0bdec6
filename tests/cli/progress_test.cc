#include "cli/terminal/progress.h"

#include <gtest/gtest.h>

namespace gcsflux::cli {
namespace {

constexpr TransferCounts kHalf = {
    .objects = 10, .bytes = 2'000'000'000, .copied = 3, .moved_bytes = 500'000'000, .kept_bytes = 500'000'000};

TEST(BytesText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(999), "999 B");
  EXPECT_EQ(BytesText(1'000), "1.00 kB");
  EXPECT_EQ(BytesText(9'999), "10.0 kB");
  EXPECT_EQ(BytesText(999'499), "999 kB");
  EXPECT_EQ(BytesText(999'999), "1.00 MB");
  EXPECT_EQ(BytesText(12'345'678), "12.3 MB");
  EXPECT_EQ(BytesText(1.8e19), "18.0 EB");
}

TEST(Printable, RemovesControlCharacters) { EXPECT_EQ(Printable("a\x1B[2Jb\r\x7F\xC3\xA9"), "a?[2Jb??\xC3\xA9"); }

TEST(ProgressLine, ShowsABarAndFigures) {
  EXPECT_EQ(ProgressLine(kHalf, 10, 120),
            "[==========          ] 50 % 3/10 objects, 1.00 GB of 2.00 GB, 50.0 MB/s, 0:20 left");
}

TEST(ProgressLine, DropsTheBarBeforeTheWords) {
  EXPECT_EQ(ProgressLine(kHalf, 10, 70), "50 % 3/10 objects, 1.00 GB of 2.00 GB, 50.0 MB/s, 0:20 left");
}

TEST(ProgressLine, NeverWrapsATerminalsLine) {
  for (std::size_t columns = 0; columns < 130; ++columns) {
    EXPECT_LE(ProgressLine(kHalf, 10, columns).size(), columns);
  }
}

TEST(ProgressLine, CountsObjectsIfAllAreEmpty) {
  EXPECT_EQ(ProgressLine({.objects = 4, .copied = 1}, 10, 50), "25 % 1/4 objects, 0 B of 0 B, 0 B/s");
}

TEST(ProgressLine, ShowsThatListingIsInProgress) {
  EXPECT_EQ(ProgressLine({}, 83, 60), "looking at what is there, 1:23");
  EXPECT_EQ(ProgressLine({}, 83, 7), "looking");
}

TEST(ProgressLine, CountsFailures) {
  EXPECT_EQ(ProgressLine({.objects = 4, .copied = 1, .failed = 2}, 10, 60),
            "75 % 1/4 objects, 0 B of 0 B, 0 B/s, 2 failed");
}

TEST(ProgressLine, NeverExceeds100Percent) {
  const TransferCounts again{.objects = 1, .bytes = 10, .moved_bytes = 30};
  EXPECT_EQ(ProgressLine(again, 1, 60), "100 % 0/1 object, 30 B of 10 B, 30 B/s");
}

TEST(ProgressLine, ShowsARateIfTheSizeIsUnknown) {
  EXPECT_EQ(ProgressLine("listing", 120'000, 62, 80), "listing, 120000 objects, 1935/s, 1:02");
  EXPECT_EQ(ProgressLine("listing", 1, 0, 80), "listing, 1 object, 0/s, 0:00");
  EXPECT_EQ(ProgressLine("listing", 120'000, 62, 12), "listing, 120");
}

TEST(ListedLine, ShowsCountAndRate) {
  EXPECT_EQ(ListedLine(120'000, 2.44), "listed 120000 objects in 2.4 s (49180/s)");
}

TEST(SummaryLine, SumsUp) {
  EXPECT_EQ(SummaryLine({.objects = 1, .bytes = 5, .copied = 1, .moved_bytes = 5}, 2),
            "copied 1 object, 5 B in 2.0 s (2 B/s)");
  EXPECT_EQ(
      SummaryLine(
          {.copied = 3, .moved_bytes = 500'000'000, .kept_bytes = 7'000, .skipped = 2, .failed = 1, .deleted = 4}, 10),
      "copied 3 objects, 500 MB in 10.0 s (50.0 MB/s); kept 7.00 kB of an interrupted run; skipped 2 that are "
      "there; deleted 4; 1 FAILED");
}

}  // namespace
}  // namespace gcsflux::cli
