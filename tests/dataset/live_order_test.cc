// Orders over a listing that is going on are those over the listing when it is over.
#include "dataset/live_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "dataset/epoch_order.h"
#include "dataset/growing_listing.h"

namespace gcsflux::internal {
namespace {

using testing::GrowingListing;
using ::testing::HasSubstr;

struct Samples {
  std::vector<std::size_t> samples;
  Cursor cursor;
};

// What an order says of its first epoch while the listing grows by `step` names at a time.
std::vector<Samples> Epoch(const EpochOptions& options, std::size_t count, std::size_t step,
                           const LiveOrder::Start& start = {}) {
  const auto listing = std::make_shared<GrowingListing>(count);
  LiveOrder order(options, start, listing->listing());
  std::vector<Samples> batches;
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

EpochOptions OptionsOf(SampleOrder order, EpochTail tail, std::uint64_t rank, std::uint64_t world_size) {
  return {.order = order,
          .tail = tail,
          .shuffle_buffer = 5,
          .seed = 3,
          .batch_size = 4,
          .rank = rank,
          .world_size = world_size};
}

TEST(LiveOrder, IsThatOfTheWholeListingHoweverItGrows) {
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

TEST(LiveOrder, IsTheSameForAnyBufferThatHoldsAll) {
  EpochOptions options = OptionsOf(SampleOrder::kBuffered, EpochTail::kUneven, 1, 2);
  options.shuffle_buffer = 61;
  const auto wanted = Epoch(options, 61, 61);
  options.shuffle_buffer = std::numeric_limits<std::uint64_t>::max();
  const auto found = Epoch(options, 61, 7);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(found[i].samples, wanted[i].samples);
}

// They come from a cursor, where a changed listing is allowed.
TEST(LiveOrder, APositionBehindTheEndIsTheEnd) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    const EpochOptions options = OptionsOf(by, EpochTail::kUneven, 0, 2);
    for (const std::uint64_t consumed :
         {std::uint64_t{62}, std::uint64_t{1} << 63, ~std::uint64_t{0} - 15, ~std::uint64_t{0}}) {
      const Cursor cursor{.seed = 3, .consumed = consumed, .order = by, .shuffle_buffer = 5};
      const auto found = Epoch(options, 61, 30, {.cursor = cursor, .is_resumed = true, .allow_changed_listing = true});
      EXPECT_TRUE(found.empty()) << consumed << ": " << found.front().samples.size();
    }
  }
}

TEST(LiveOrder, ByNameIsTheEpochOrdersOwn) {
  const EpochOptions options = OptionsOf(SampleOrder::kByName, EpochTail::kPad, 1, 2);
  EpochOrder known(options, {.order = SampleOrder::kByName, .listing = {.count = 13}}, /*all_epochs=*/false);
  for (const Samples& batch : Epoch(options, 13, 1)) EXPECT_EQ(batch.samples, known.Next()->samples);
  EXPECT_FALSE(known.Next());
  EXPECT_TRUE(known.is_over());
}

TEST(LiveOrder, GivesEachSampleOnceOverAllRanks) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    std::vector<std::size_t> all;
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
      for (const Samples& batch : Epoch(OptionsOf(by, EpochTail::kUneven, rank, 3), 61, 2)) {
        all.insert(all.end(), batch.samples.begin(), batch.samples.end());
      }
    }
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), 61U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  }
}

TEST(LiveOrder, GoesOnAtAnyOfItsCursors) {
  for (const SampleOrder by : {SampleOrder::kByName, SampleOrder::kBuffered}) {
    const EpochOptions options = OptionsOf(by, EpochTail::kUneven, 0, 1);
    const auto whole = Epoch(options, 41, 3);
    for (std::size_t behind = 0; behind + 1 < whole.size(); ++behind) {
      const auto rest = Epoch(options, 41, 3, {.cursor = whole[behind].cursor, .is_resumed = true});
      ASSERT_EQ(rest.size(), whole.size() - behind - 1);
      for (std::size_t i = 0; i < rest.size(); ++i) EXPECT_EQ(rest[i].samples, whole[behind + 1 + i].samples);
    }
  }
}

TEST(LiveOrder, ACursorOfAnotherListingIsRefusedAsSoonAsThatIsKnown) {
  const EpochOptions options = OptionsOf(SampleOrder::kByName, EpochTail::kUneven, 0, 1);
  Cursor cursor = Epoch(options, 41, 3)[1].cursor;
  ASSERT_TRUE(cursor.listing.is_partial);
  cursor.listing.hash ^= 1;
  const auto listing = std::make_shared<GrowingListing>(41);
  LiveOrder order(options, {.cursor = cursor, .is_resumed = true}, listing->listing());
  while (!order.is_over()) {
    EXPECT_FALSE(order.Next());
    listing->Grow(1);
  }
  ASSERT_TRUE(order.error());
  EXPECT_THAT(order.error()->message, HasSubstr("the cursor is of another run"));
  EXPECT_LT(listing->known(), 41U);
}

TEST(LiveOrder, AnEpochWithoutABatchForTheRankIsAnError) {
  const auto listing = std::make_shared<GrowingListing>(1);
  listing->Grow(1);
  LiveOrder order(OptionsOf(SampleOrder::kByName, EpochTail::kUneven, 1, 2), {}, listing->listing());
  EXPECT_FALSE(order.Next());
  ASSERT_TRUE(order.error());
  EXPECT_THAT(order.error()->message, HasSubstr("has no batch for rank 1"));
}

}  // namespace
}  // namespace gcsflux::internal
