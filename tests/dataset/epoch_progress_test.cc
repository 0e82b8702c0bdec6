#include "dataset/epoch_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/fails_with.h"

namespace gcsflux {
namespace {

using internal::EpochProgress;
using ::testing::HasSubstr;
using Samples = std::vector<std::size_t>;

ListingFingerprint ListingOf(std::uint64_t count) {
  return {.bucket = "bkt", .prefix = "train/", .count = count, .hash = 77};
}

EpochProgress Begin(std::uint64_t count, const EpochOptions& options, const std::optional<Cursor>& cursor = {}) {
  auto progress = EpochProgress::Create(ListingOf(count), options, cursor);
  EXPECT_TRUE(progress.ok()) << (progress.ok() ? "" : progress.error().message);
  return *std::move(progress);
}

// Takes batches and uses them; `ahead` of them are always outstanding. All that are left, or at most this many.
Samples Use(const EpochProgress& progress, std::size_t ahead = 0, std::size_t most = ~std::size_t{0}) {
  std::vector<Samples> out;
  Samples used;
  for (std::size_t batches = 0; batches < most;) {
    while (out.size() <= ahead) {
      auto batch = progress.NextBatch();
      if (!batch) break;
      out.push_back(*std::move(batch));
    }
    if (out.empty()) break;
    used.insert(used.end(), out.front().begin(), out.front().end());
    out.erase(out.begin());
    EXPECT_TRUE(progress.BatchConsumed().ok());
    ++batches;
  }
  return used;
}

Samples Sorted(Samples samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

Samples UpTo(std::size_t count) {
  Samples all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  return all;
}

TEST(EpochProgress, GivesEachSampleOncePerEpochInANewOrder) {
  const EpochProgress progress = Begin(50, {.seed = 1, .batch_size = 7});
  Samples before;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(progress.cursor().epoch, epoch);
    ASSERT_TRUE(progress.BeginEpoch().ok());
    const Samples used = Use(progress);
    EXPECT_EQ(Sorted(used), UpTo(50));
    EXPECT_NE(used, before);
    before = used;
  }
}

TEST(EpochProgress, CursorCountsOnlyConsumedSamples) {
  const EpochProgress progress = Begin(50, {.batch_size = 7});
  Use(progress, /*ahead=*/4, /*most=*/2);
  EXPECT_EQ(progress.cursor().consumed, 14U);
}

TEST(EpochProgress, RepeatsUnconsumedReadAhead) {
  const EpochProgress progress = Begin(50, {.batch_size = 7});
  Samples used = Use(progress, /*ahead=*/3, /*most=*/2);
  ASSERT_TRUE(progress.BeginEpoch().ok());
  const Samples rest = Use(progress);
  used.insert(used.end(), rest.begin(), rest.end());
  EXPECT_EQ(Sorted(used), UpTo(50));
}

TEST(EpochProgress, StartsTheNextEpochAtTheEnd) {
  const EpochProgress progress = Begin(10, {.batch_size = 5});
  Use(progress);
  EXPECT_EQ(progress.cursor().epoch, 1U);
  EXPECT_EQ(progress.cursor().consumed, 0U);
  EXPECT_FALSE(progress.NextBatch()) << "an epoch stays ended until the next one starts";
  const EpochProgress resumed = Begin(10, {.batch_size = 5}, progress.cursor());
  ASSERT_TRUE(resumed.BeginEpoch().ok());
  ASSERT_TRUE(progress.BeginEpoch().ok());
  EXPECT_EQ(Use(resumed), Use(progress));
}

// Killed after any batch, resumed by any number of ranks, a second time too: before and after are the epoch.
TEST(EpochProgress, ResumesWithExactlyTheRest) {
  for (std::size_t first = 0; first <= 8; ++first) {
    for (std::size_t second = 0; second <= 8; ++second) {
      const EpochProgress one = Begin(50, {.seed = 3, .batch_size = 7});
      Samples used = Use(one, 2, first);
      const EpochProgress two = Begin(50, {.seed = 3, .batch_size = 7}, one.cursor());
      if (two.cursor().epoch == 0) {
        const Samples more = Use(two, 2, second);
        used.insert(used.end(), more.begin(), more.end());
      }
      const Cursor cursor = two.cursor();
      for (std::uint64_t rank = 0; cursor.epoch == 0 && rank < 3; ++rank) {
        const Samples rest = Use(Begin(50, {.seed = 3, .batch_size = 4, .rank = rank, .world_size = 3}, cursor));
        used.insert(used.end(), rest.begin(), rest.end());
      }
      ASSERT_EQ(Sorted(used), UpTo(50)) << "killed after " << first << " and " << second << " batches";
    }
  }
}

// One sample is left for three ranks: the others have an epoch without a batch, and all begin the next one together.
TEST(EpochProgress, KeepsARankWithoutABatchInTheEpoch) {
  const Cursor cursor{.seed = 3, .epoch = 4, .consumed = 49, .listing = ListingOf(50)};
  const EpochProgress progress = Begin(50, {.seed = 3, .batch_size = 4, .rank = 2, .world_size = 3}, cursor);
  ASSERT_TRUE(progress.BeginEpoch().ok());
  EXPECT_EQ(progress.cursor().epoch, 4U);
  EXPECT_FALSE(progress.NextBatch());
  EXPECT_EQ(progress.cursor().epoch, 5U);
  ASSERT_TRUE(progress.BeginEpoch().ok());
  EXPECT_TRUE(progress.NextBatch());
}

TEST(EpochProgress, SharesThePositionAmongCopies) {
  const EpochProgress progress = Begin(50, {.batch_size = 7});
  const EpochProgress copy = progress;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the subject.
  Use(copy, 0, 3);
  EXPECT_EQ(progress.cursor().consumed, 21U);
}

TEST(EpochProgress, CountsADroppedTailAsConsumed) {
  const EpochProgress progress = Begin(50, {.tail = EpochTail::kDrop, .batch_size = 8});
  EXPECT_EQ(Use(progress).size(), 48U);
  EXPECT_EQ(progress.cursor().epoch, 1U);
  Cursor in_tail = Begin(50, {.tail = EpochTail::kDrop, .batch_size = 8}).cursor();
  in_tail.consumed = 49;
  EXPECT_EQ(Begin(50, {.tail = EpochTail::kDrop, .batch_size = 8}, in_tail).cursor().epoch, 1U);
}

TEST(EpochProgress, RefusesToConsumeWithoutABatch) {
  const EpochProgress progress = Begin(10, {.batch_size = 5});
  EXPECT_TRUE(testing::FailsWith(progress.BatchConsumed(), ErrorCode::kInvalidArgument));
}

TEST(EpochProgress, RefusesAnEpochWithoutABatch) {
  for (const EpochOptions& options : {EpochOptions{.tail = EpochTail::kDrop, .batch_size = 11},
                                      EpochOptions{.batch_size = 1, .rank = 10, .world_size = 11}}) {
    const auto progress = EpochProgress::Create(ListingOf(10), options);
    ASSERT_FALSE(progress.ok());
    EXPECT_THAT(progress.error().message, HasSubstr("gs://bkt/train/"));
  }
}

TEST(EpochProgress, RefusesAChangedListingUnlessAllowed) {
  const Cursor cursor{.epoch = 4, .consumed = 9, .listing = ListingOf(10)};
  EXPECT_FALSE(EpochProgress::Create(ListingOf(5), {}, cursor).ok());
  const auto progress = EpochProgress::Create(ListingOf(5), {}, cursor, /*allow_changed_listing=*/true);
  ASSERT_TRUE(progress.ok());
  EXPECT_EQ(progress->cursor().epoch, 5U) << "of 5 samples no ninth is left";
  EXPECT_EQ(progress->cursor().listing, ListingOf(5));
}

TEST(EpochProgress, KeepsItsPositionIfACursorIsRefused) {
  const EpochProgress progress = Begin(50, {.batch_size = 7});
  Use(progress, 0, 2);
  EXPECT_FALSE(progress.MoveTo({.epoch = 1, .listing = ListingOf(49)}).ok());
  EXPECT_EQ(progress.cursor().consumed, 14U);
  EXPECT_TRUE(progress.MoveTo({.epoch = 1, .consumed = 5, .listing = ListingOf(50)}).ok());
  EXPECT_EQ(progress.cursor().epoch, 1U);
  EXPECT_EQ(Use(progress).size(), 45U);
}

}  // namespace
}  // namespace gcsflux
