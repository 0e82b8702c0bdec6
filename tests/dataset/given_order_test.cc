// Orders of the caller's own: announced, resumed and divided like the others.
#include "dataset/given_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "dataset/dataset_fixture.h"
#include "dataset/epoch_progress.h"

namespace gcsflux::internal {
namespace {

using testing::DatasetTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Texts;

using Indices = std::vector<std::size_t>;

EpochOptions Given(GivenOrder order, std::uint64_t batch_size = 4) {
  return {.given = std::move(order), .batch_size = batch_size};
}

class GivenOrderTest : public DatasetTest {
 protected:
  static constexpr std::size_t kObjects = 40;

  GivenOrderTest() { Put(kObjects); }

  [[nodiscard]] Texts NamesOf(const Indices& indices) const {
    Texts names;
    for (const std::size_t index : indices) names.push_back(All()[index]);
    return names;
  }
  // Reversed in even epochs, every third sample, twice, in odd ones.
  static Indices OfEpoch(std::uint64_t epoch) {
    Indices indices;
    for (std::size_t i = kObjects; epoch % 2 == 0 && i-- > 0;) indices.push_back(i);
    for (std::size_t i = 0; epoch % 2 == 1 && i < kObjects; i += 3) indices.insert(indices.end(), 2, i);
    return indices;
  }
};

TEST_F(GivenOrderTest, GivesEachEpochInItsOrder) {
  const auto core = Core(/*is_live=*/false);
  const EpochOptions how = Given(GivenOrder(OfEpoch));
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    EXPECT_EQ(Epoch(*core, how, epoch, 1), NamesOf(OfEpoch(epoch))) << "epoch " << epoch;
  }
}

TEST_F(GivenOrderTest, IsFetchedAheadAcrossEpochs) {
  const auto core = Core(/*is_live=*/false);
  const EpochOptions how = Given(GivenOrder(OfEpoch));
  Texts used;
  Use(*core, how, {.cursor = Beginning(how)}, 1, used);
  EXPECT_EQ(used, NamesOf({39, 38, 37, 36}));
  AwaitReads(kObjects + OfEpoch(1).size());
}

TEST_F(GivenOrderTest, FetchesNothingForAnEpochThatWillNotCome) {
  const auto core = Core(/*is_live=*/false);
  EpochOptions how = Given(GivenOrder(OfEpoch));
  how.epochs = 1;
  EXPECT_EQ(Epoch(*core, how, 0, 1), NamesOf(OfEpoch(0)));
  EXPECT_EQ(Reads(), kObjects);
}

TEST_F(GivenOrderTest, DividesAnEpochAmongRanks) {
  Texts all;
  for (const std::uint64_t rank : {0, 1, 2}) {
    EpochOptions how = Given(GivenOrder(OfEpoch));
    how.rank = rank;
    how.world_size = 3;
    Add(all, Epoch(*Core(false), how, 1, 2));
  }
  EXPECT_EQ(Sorted(all), NamesOf(OfEpoch(1)));
}

TEST_F(GivenOrderTest, ResumesBehindAnyBatch) {
  for (const std::uint64_t batches : {1U, 3U, 10U, 12U}) {
    const EpochOptions how = Given(GivenOrder(OfEpoch));
    Texts used;
    Cursor cursor = Beginning(how);
    for (std::uint64_t left = batches; left > 0;) {  // The tenth batch is the last one of epoch 0.
      const std::uint64_t now = cursor.epoch == 0 ? std::min<std::uint64_t>(left, 10) : left;
      cursor = Use(*Core(false), how, {.cursor = cursor}, now, used);
      left -= now;
    }
    const auto resumed = ParseCursor(FormatCursor(cursor));
    ASSERT_TRUE(resumed.ok()) << resumed.error().message;
    EXPECT_EQ(*resumed, cursor);
    const EpochOptions again = Given(GivenOrder(OfEpoch));  // As a later process makes it.
    while (cursor.epoch < 2) cursor = Use(*Core(false), again, {.cursor = cursor}, ~std::uint64_t{0}, used);
    Texts expected = NamesOf(OfEpoch(0));
    Add(expected, NamesOf(OfEpoch(1)));
    EXPECT_EQ(used, expected) << "killed after " << batches;
  }
}

TEST_F(GivenOrderTest, RefusesACursorOfAnotherOrder) {
  const EpochOptions how = Given(GivenOrder(OfEpoch));
  Texts used;
  const Cursor cursor = Use(*Core(false), how, {.cursor = Beginning(how)}, 2, used);
  EXPECT_NE(cursor.order_hash, 0);
  const EpochOptions other = Given(GivenOrder(OfEpoch(1)));
  const auto refused = Core(false)->Expect(other, {.cursor = cursor});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("the given order of epoch 0 was another one"));
  EXPECT_TRUE(Core(false)->Expect(other, {.cursor = Beginning(other)}).ok());
}

TEST_F(GivenOrderTest, IsAskedOnceForEachEpochOneThreadAtATime) {
  std::atomic<int> inside = 0;
  std::map<std::uint64_t, int> calls;
  const EpochOptions how = Given(GivenOrder([&](std::uint64_t epoch) {
    EXPECT_EQ(++inside, 1);
    ++calls[epoch];
    --inside;
    return OfEpoch(epoch);
  }));
  const auto core = Core(false);
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) Epoch(*core, how, epoch, 4);
  EXPECT_EQ(calls, (std::map<std::uint64_t, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}));
}

TEST_F(GivenOrderTest, FailsTheEpochWhoseOrderCannotBeUsed) {
  struct Case {
    const char* name;
    std::function<Indices()> order;
    const char* message;
  };
  const Case cases[] = {
      {"throws", []() -> Indices { throw std::runtime_error("no file"); }, "the caller's function threw: no file"},
      {"throws no exception", []() -> Indices { throw 7; }, "threw something"},
      {"past the end",
       [] {
         return Indices{3, kObjects};
       },
       "has index 40, and there are 40 samples"},
      {"empty", [] { return Indices(); }, "has 0 samples, and no batch for rank 0"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const EpochOptions how =
        Given(GivenOrder([&](std::uint64_t epoch) { return epoch == 1 ? one.order() : OfEpoch(0); }));
    const auto core = Core(false);
    EXPECT_EQ(Epoch(*core, how, 0, 1), NamesOf(OfEpoch(0))) << "the epoch before it is whole";
    Cursor cursor = Beginning(how);
    cursor.epoch = 1;
    const auto refused = core->Expect(how, {.cursor = cursor});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr(one.message));
  }
}

TEST_F(GivenOrderTest, IsGivenWithItsOwnSampleOrderOnly) {
  EXPECT_TRUE(EpochProgress::Create({.count = 9}, {.order = SampleOrder::kGiven, .given = GivenOrder(Indices{1})}));
  for (const EpochOptions& how : {EpochOptions{.order = SampleOrder::kGiven},
                                  EpochOptions{.order = SampleOrder::kShuffled, .given = GivenOrder(Indices{1})},
                                  EpochOptions{.order = SampleOrder::kByName, .given = GivenOrder(Indices{1})},
                                  EpochOptions{.order = SampleOrder::kGiven, .given = GivenOrder(nullptr)}}) {
    const auto progress = EpochProgress::Create({.count = 9}, how);
    ASSERT_FALSE(progress.ok());
    EXPECT_THAT(progress.error().message, HasSubstr("EpochOptions::given"));
  }
}

TEST_F(GivenOrderTest, IsHandedOutByAProgressToo) {
  const auto progress = EpochProgress::Create({.count = kObjects}, Given(GivenOrder(OfEpoch), 8));
  ASSERT_TRUE(progress.ok()) << progress.error().message;
  for (const std::uint64_t epoch : {0, 1, 2}) {
    ASSERT_TRUE(progress->BeginEpoch().ok());
    Indices all;
    while (const auto batch = progress->NextBatch()) {
      all.insert(all.end(), batch->begin(), batch->end());
      ASSERT_TRUE(progress->BatchConsumed().ok());
    }
    EXPECT_EQ(all, OfEpoch(epoch));
  }
}

// ------------------------------------------------------------------------------------------------------ weights

// How often each index is drawn in 50 epochs.
std::vector<int> Drawn(const GivenOrder& order, std::size_t count) {
  std::vector<int> drawn(count);
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    for (const std::size_t index : order.shared().indices_of(epoch)) ++drawn[index];
  }
  return drawn;
}

TEST(WeightedOrder, DrawsInProportionToTheWeights) {
  const auto order = GivenOrder::Weighted({1, 0, 3, 6}, 1'000, 3);
  ASSERT_TRUE(order.ok()) << order.error().message;
  const std::vector<int> drawn = Drawn(*order, 4);  // Of 50,000; five standard deviations are at most 560.
  EXPECT_NEAR(drawn[0], 5'000, 560);
  EXPECT_EQ(drawn[1], 0);
  EXPECT_NEAR(drawn[2], 15'000, 560);
  EXPECT_NEAR(drawn[3], 30'000, 560);
}

TEST(WeightedOrder, DrawsEachOnceWithoutReplacement) {
  const auto order = GivenOrder::WeightedWithoutReplacement({1, 1, 0, 1e-300, 1e300}, 4);
  ASSERT_TRUE(order.ok()) << order.error().message;
  EXPECT_THAT(Drawn(*order, 5), ElementsAre(50, 50, 0, 50, 50));
  EXPECT_EQ(order->shared().indices_of(0).front(), 4) << "the heaviest comes first";
}

TEST(WeightedOrder, DependsOnSeedAndEpochAlone) {
  const std::vector<double> weights(100, 1.0);
  const auto a = GivenOrder::Weighted(weights, 50, 1);
  const auto b = GivenOrder::Weighted(weights, 50, 1);
  const auto other = GivenOrder::Weighted(weights, 50, 2);
  EXPECT_EQ(a->shared().indices_of(3), b->shared().indices_of(3));
  EXPECT_NE(a->shared().indices_of(3), a->shared().indices_of(4));
  EXPECT_NE(a->shared().indices_of(3), other->shared().indices_of(3));
}

TEST(WeightedOrder, RefusesWeightsThatCannotBeUsed) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    std::vector<double> weights;
    std::size_t samples;
    const char* message;
  };
  for (const Case& one : {Case{{1, kNan}, 1, "weight 1 is nan"}, Case{{-1, 2}, 1, "weight 0 is -1"},
                          Case{{1, INFINITY}, 1, "weight 1 is inf"}, Case{{0, 0}, 1, "no weight is above 0"},
                          Case{{}, 1, "no weight is above 0"}, Case{{1}, 0, "at least 1 sample"}}) {
    const auto order = GivenOrder::Weighted(one.weights, one.samples);
    ASSERT_FALSE(order.ok()) << one.message;
    EXPECT_EQ(order.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(order.error().message, HasSubstr(one.message));
  }
}

TEST(WeightedOrder, RefusesMoreSamplesThanThereAreWithoutReplacement) {
  const auto order = GivenOrder::WeightedWithoutReplacement({1, 0, 1}, 3);
  ASSERT_FALSE(order.ok());
  EXPECT_THAT(order.error().message, HasSubstr("2 weights are above 0"));
}

TEST(WeightedOrder, RefusesAListingOfAnotherSize) {
  const auto order = GivenOrder::Weighted({1, 2, 3}, 2);
  const auto progress = EpochProgress::Create({.count = 9}, Given(*order));
  ASSERT_FALSE(progress.ok());
  EXPECT_THAT(progress.error().message, HasSubstr("weights are given for 3 samples, and there are 9"));
}

}  // namespace
}  // namespace gcsflux::internal
