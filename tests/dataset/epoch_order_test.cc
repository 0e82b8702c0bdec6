// Orders over a running listing equal those over the complete listing.
#include "dataset/epoch_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "dataset/growing_listing.h"

namespace gcsflux::internal {
namespace {

using testing::GrowingListing;
using ::testing::HasSubstr;

struct GivenSamples {
  std::vector<std::size_t> samples;
  Cursor cursor;
};

const ListingFingerprint kGrowing{.bucket = "bkt", .prefix = "p/", .is_partial = true};

Cursor BeginningOf(const EpochOptions& options) {
  return {.seed = options.seed,
          .order = options.sample_order(),
          .shuffle_buffer = options.sample_order() == SampleOrder::kBuffered ? options.shuffle_buffer : 0,
          .listing = kGrowing};
}

// What an order returns of its first epoch while the listing grows by `step` names at a time.
std::vector<GivenSamples> Epoch(const EpochOptions& options, std::size_t count, std::size_t step,
                                const EpochStart& start) {
  const auto listing = std::make_shared<GrowingListing>(count);
  EpochOrder order(options, start, kGrowing, /*all_epochs=*/true, listing->listing());
  std::vector<GivenSamples> batches;
  const std::uint64_t epoch = start.cursor.epoch;
  while (true) {
    while (auto batch = order.Next()) {
      if (batch->epoch != epoch) return batches;
      batches.push_back({batch->samples, batch->cursor});
    }
    if (order.is_over()) {
      EXPECT_FALSE(order.error()) << order.error()->message;
      return batches;
    }
    listing->Grow(step);
  }
}

std::vector<GivenSamples> Epoch(const EpochOptions& options, std::size_t count, std::size_t step) {
  return Epoch(options, count, step, {.cursor = BeginningOf(options)});
}

EpochOptions OptionsOf(SampleOrder order, EpochTail tail, std::uint64_t rank, std::uint64_t world_size) {
  return {.order = order,
          .tail = tail,
          .shuffle_buffer = 5,
          .seed = 3,
          .batch_size = 4,
          .rank = rank,
          .world_size = world_size};
}

TEST(EpochOrder, DoesNotDependOnHowTheListingGrows) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    for (const EpochTail tail : {EpochTail::kUneven, EpochTail::kDrop, EpochTail::kPad}) {
      for (const std::size_t count : {12U, 13U, 24U, 40U, 61U}) {
        for (std::uint64_t rank = 0; rank < 3; ++rank) {
          const EpochOptions options = OptionsOf(by, tail, rank, 3);
          const auto whole = Epoch(options, count, count);
          for (const std::size_t step : {1U, 7U}) {
            const auto grown = Epoch(options, count, step);
            ASSERT_EQ(grown.size(), whole.size());
            for (std::size_t i = 0; i < whole.size(); ++i) {
              EXPECT_EQ(grown[i].samples, whole[i].samples);
              EXPECT_EQ(grown[i].cursor.consumed, whole[i].cursor.consumed);
              EXPECT_EQ(grown[i].cursor.epoch, whole[i].cursor.epoch);
            }
          }
        }
      }
    }
  }
}

TEST(EpochOrder, IsTheSameForEachBufferThatHoldsAll) {
  EpochOptions options = OptionsOf(SampleOrder::kBuffered, EpochTail::kUneven, 1, 2);
  options.shuffle_buffer = 61;
  const auto wanted = Epoch(options, 61, 61);
  options.shuffle_buffer = std::numeric_limits<std::uint64_t>::max();
  const auto found = Epoch(options, 61, 7);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(found[i].samples, wanted[i].samples);
}

// They come from a cursor for which a changed listing is allowed.
TEST(EpochOrder, EndsAtAPositionPastTheEnd) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    const EpochOptions options = OptionsOf(by, EpochTail::kUneven, 0, 2);
    for (const std::uint64_t consumed :
         {std::uint64_t{62}, std::uint64_t{1} << 63, ~std::uint64_t{0} - 15, ~std::uint64_t{0}}) {
      Cursor cursor = BeginningOf(options);
      cursor.consumed = consumed;
      const auto found = Epoch(options, 61, 30, {.cursor = cursor, .allow_changed_listing = true});
      EXPECT_TRUE(found.empty()) << consumed << ": " << found.front().samples.size();
    }
  }
}

TEST(EpochOrder, IsTheSameForACompleteListing) {
  std::vector<ListedObject> objects;
  for (std::size_t i = 0; i < 13; ++i) objects.push_back(testing::Named(i));
  const auto all = std::make_shared<const std::vector<ListedObject>>(objects);
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    const EpochOptions options = OptionsOf(by, EpochTail::kPad, 1, 2);
    EpochOrder known(options, {.cursor = BeginningOf(options)}, FingerprintOf({"bkt", "p/"}, objects),
                     /*all_epochs=*/false, std::make_shared<const LiveListing>(all));
    for (const GivenSamples& batch : Epoch(options, 13, 1)) EXPECT_EQ(batch.samples, known.Next()->samples);
    EXPECT_TRUE(known.is_over());
    EXPECT_FALSE(known.Next());
    EXPECT_FALSE(known.error());
  }
}

TEST(EpochOrder, RefusesACursorOfAnotherPrefixBeforeListing) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    const EpochOptions options = OptionsOf(by, EpochTail::kUneven, 0, 1);
    Cursor cursor = BeginningOf(options);
    cursor.listing.prefix = "other/";
    EpochOrder order(options, {.cursor = cursor}, kGrowing, /*all_epochs=*/true, GrowingListing(41).listing());
    const auto begun = order.Begin();
    ASSERT_FALSE(begun.ok());
    EXPECT_THAT(begun.error().message, HasSubstr("the prefix is gs://bkt/other/ in the cursor and gs://bkt/p/ here"));
    EXPECT_TRUE(order.is_over());
  }
}

// The position of a run with another tail, batch size or number of ranks.
TEST(EpochOrder, SkipsADroppedTailToTheNextEpoch) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    for (const bool all_epochs : {false, true}) {
      const EpochOptions options = OptionsOf(by, EpochTail::kDrop, 1, 2);
      Cursor cursor = BeginningOf(options);
      cursor.consumed = 40;
      cursor.listing.count = 41;
      GrowingListing listing(41);
      listing.Grow(41);
      EpochOrder order(options, {.cursor = cursor, .allow_changed_listing = true}, kGrowing, all_epochs,
                       listing.listing());
      const auto batch = order.Next();
      ASSERT_TRUE(batch);
      EXPECT_EQ(batch->epoch, 1U);
      EXPECT_EQ(batch->claimed_from, 0U);
      EXPECT_EQ(batch->cursor.consumed, 8U);
    }
  }
}

TEST(EpochOrder, GivesEachSampleOnceOverAllRanks) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    std::vector<std::size_t> all;
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
      for (const GivenSamples& batch : Epoch(OptionsOf(by, EpochTail::kUneven, rank, 3), 61, 2)) {
        all.insert(all.end(), batch.samples.begin(), batch.samples.end());
      }
    }
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), 61U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  }
}

TEST(EpochOrder, ResumesAtAnyOfItsCursors) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    const EpochOptions options = OptionsOf(by, EpochTail::kUneven, 0, 1);
    const auto whole = Epoch(options, 41, 3);
    for (std::size_t behind = 0; behind + 1 < whole.size(); ++behind) {
      const auto rest = Epoch(options, 41, 3, {.cursor = whole[behind].cursor});
      ASSERT_EQ(rest.size(), whole.size() - behind - 1);
      for (std::size_t i = 0; i < rest.size(); ++i) EXPECT_EQ(rest[i].samples, whole[behind + 1 + i].samples);
    }
  }
}

// Otherwise a listing that differs among them would be continued.
TEST(EpochOrder, CursorComparesAllConsumedObjects) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    std::size_t end = 0;
    std::size_t partial = 0;
    for (const GivenSamples& batch : Epoch(OptionsOf(by, EpochTail::kUneven, 0, 1), 41, 3)) {
      end = std::max(end, *std::ranges::max_element(batch.samples) + 1);
      EXPECT_GE(batch.cursor.listing.count, end);
      partial += batch.cursor.listing.is_partial ? 1 : 0;
    }
    EXPECT_GE(partial, 4U);
  }
}

TEST(EpochOrder, RefusesACursorOfAnotherListingEarly) {
  const EpochOptions options = OptionsOf(SampleOrder::kByName, EpochTail::kUneven, 0, 1);
  Cursor cursor = Epoch(options, 41, 3)[1].cursor;
  ASSERT_TRUE(cursor.listing.is_partial);
  cursor.listing.hash ^= 1;
  const auto listing = std::make_shared<GrowingListing>(41);
  EpochOrder order(options, {.cursor = cursor}, kGrowing, /*all_epochs=*/true, listing->listing());
  while (!order.is_over()) {
    EXPECT_FALSE(order.Next());
    listing->Grow(1);
  }
  ASSERT_TRUE(order.error());
  EXPECT_THAT(order.error()->message, HasSubstr("the cursor is of another run"));
  EXPECT_LT(listing->known(), 41U);
}

TEST(EpochOrder, FailsIfTheRankHasNoBatch) {
  for (const EpochTail tail : {EpochTail::kUneven, EpochTail::kDrop}) {
    for (const bool all_epochs : {false, true}) {
      GrowingListing listing(1);
      listing.Grow(1);
      const EpochOptions options = OptionsOf(SampleOrder::kByName, tail, 1, 2);
      EpochOrder order(options, {.cursor = BeginningOf(options)}, kGrowing, all_epochs, listing.listing());
      EXPECT_FALSE(order.Next());
      ASSERT_TRUE(order.error());
      EXPECT_THAT(order.error()->message, HasSubstr("has no batch for rank 1"));
    }
  }
}

}  // namespace
}  // namespace gcsflux::internal
