// Several datasets as one, mixed by weights, and parts of a dataset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dataset/dataset_fixture.h"
#include "dataset/dataset_view.h"
#include "dataset/given_order.h"

namespace gcsflux::internal {
namespace {

using testing::DatasetTest;
using ::testing::HasSubstr;
using testing::Texts;

using Indices = std::vector<std::size_t>;

Indices EpochOf(const MixOptions& mix, std::uint64_t epoch) {
  const auto order = MixedOrder(mix);
  EXPECT_TRUE(order.ok());
  return order->shared().indices_of(epoch);
}

// Which dataset a sample is of.
std::size_t DatasetOf(const MixOptions& mix, std::size_t sample) {
  std::size_t dataset = 0;
  while (sample >= mix.sizes[dataset]) sample -= mix.sizes[dataset++];
  return dataset;
}

std::vector<std::size_t> CountsOf(const MixOptions& mix, const Indices& samples) {
  std::vector<std::size_t> counts(mix.sizes.size());
  for (const std::size_t sample : samples) ++counts[DatasetOf(mix, sample)];
  return counts;
}

struct Proportions {
  MixOptions mix;
  std::vector<std::size_t> want;
};

TEST(MixedOrder, HasExactProportionsInEachEpoch) {
  const Proportions cases[] = {
      {{.sizes = {10, 10}, .weights = {1, 1}}, {10, 10}},
      {{.sizes = {100, 10}, .weights = {3, 1}, .samples = 40}, {30, 10}},
      {{.sizes = {100, 10}, .weights = {0.1, 0.9}, .samples = 1000}, {100, 900}},
      {{.sizes = {5, 5, 5}, .weights = {1, 1, 1}, .samples = 10}, {4, 3, 3}},
      {{.sizes = {7, 8, 9}, .weights = {1e300, 1e300, 2e300}, .samples = 8}, {2, 2, 4}},
      {{.sizes = {7, 8}, .weights = {1e-300, 1e300}, .samples = 8}, {0, 8}},
      {{.sizes = {1}, .weights = {5}, .samples = 4}, {4}},
  };
  for (const auto& [mix, want] : cases) {
    for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
      EXPECT_EQ(CountsOf(mix, EpochOf(mix, epoch)), want) << "epoch " << epoch;
    }
  }
}

TEST(MixedOrder, UsesEachSampleOnceBeforeAnyAgain) {
  const MixOptions mix{.sizes = {17, 5, 40}, .weights = {1, 2, 3}, .samples = 24, .seed = 9};
  std::vector<Indices> of_dataset(3);
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    for (const std::size_t sample : EpochOf(mix, epoch)) of_dataset[DatasetOf(mix, sample)].push_back(sample);
  }
  for (std::size_t dataset = 0; dataset < 3; ++dataset) {
    const std::size_t size = mix.sizes[dataset];
    Indices last;
    for (std::size_t at = 0; at + size <= of_dataset[dataset].size(); at += size) {
      const auto begin = of_dataset[dataset].begin() + static_cast<std::ptrdiff_t>(at);
      const Indices pass(begin, begin + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(std::set<std::size_t>(pass.begin(), pass.end()).size(), size);
      if (size > 10) {
        EXPECT_NE(pass, last);
      }
      last = pass;
    }
  }
}

TEST(MixedOrder, IsTheSameForASeedAndAnotherForOthers) {
  MixOptions mix{.sizes = {50, 50}, .weights = {1, 1}, .seed = 1};
  const Indices first = EpochOf(mix, 3);
  EXPECT_EQ(EpochOf(mix, 3), first);
  EXPECT_NE(EpochOf(mix, 4), first);
  mix.seed = 2;
  EXPECT_NE(EpochOf(mix, 3), first);
}

TEST(MixedOrder, HasEachDatasetInAllPartsOfAnEpoch) {
  const MixOptions mix{.sizes = {1000, 1000}, .weights = {1, 1}};
  const Indices epoch = EpochOf(mix, 0);
  for (std::size_t at = 0; at < epoch.size(); at += 200) {
    const auto begin = epoch.begin() + static_cast<std::ptrdiff_t>(at);
    EXPECT_NEAR(static_cast<double>(CountsOf(mix, Indices(begin, begin + 200))[0]), 100, 40);
  }
}

TEST(MixedOrder, RefusesWhatIsNoMix) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto refusal = [](const MixOptions& mix) {
    const auto order = MixedOrder(mix);
    return order.ok() ? "accepted" : order.error().message;
  };
  EXPECT_THAT(refusal({.sizes = {1, 2}, .weights = {1, 0}}), HasSubstr("weight 1 is 0.000000"));
  EXPECT_THAT(refusal({.sizes = {1, 2}, .weights = {kNan, 1}}), HasSubstr("weight 0 is nan"));
  EXPECT_THAT(refusal({.sizes = {1, 2}, .weights = {1, -1}}), HasSubstr("weight 1 is -1"));
  EXPECT_THAT(refusal({.sizes = {1, 2}, .weights = {1, kInfinity}}), HasSubstr("weight 1 is inf"));
  EXPECT_THAT(refusal({.sizes = {1, 2}, .weights = {1}}), HasSubstr("1 weights are given for 2 datasets"));
  EXPECT_THAT(refusal({}), HasSubstr("0 weights are given for 0 datasets"));
  EXPECT_THAT(refusal({.sizes = {1, 0}, .weights = {1, 1}}), HasSubstr("dataset 1 has no samples"));
  EXPECT_THAT(refusal({.sizes = {1}, .weights = {1}, .samples = 0}), HasSubstr("at least 1 sample"));
}

std::vector<ListedObject> Named(std::size_t count) {
  std::vector<ListedObject> objects;
  for (std::size_t i = 0; i < count; ++i) objects.push_back({.name = "image/" + std::to_string(i) + ".jpg", .size = i});
  return objects;
}

Indices Selected(const std::vector<ListedObject>& objects, const Selection& selection) {
  const auto selected = SelectObjects(objects, selection);
  EXPECT_TRUE(selected.ok());
  return *selected;
}

TEST(SelectObjects, SplitsWithoutOverlap) {
  const auto objects = Named(5000);
  const Indices training = Selected(objects, {.to = 0.9, .seed = 3});
  const Indices validation = Selected(objects, {.from = 0.9, .seed = 3});
  EXPECT_NEAR(static_cast<double>(validation.size()), 500, 100);
  std::set<std::size_t> all(training.begin(), training.end());
  all.insert(validation.begin(), validation.end());
  EXPECT_EQ(all.size(), 5000U);
  EXPECT_EQ(training.size() + validation.size(), 5000U);
  EXPECT_TRUE(std::ranges::is_sorted(training));
  EXPECT_NE(Selected(objects, {.from = 0.9, .seed = 4}), validation);
}

TEST(SelectObjects, KeepsAnObjectInItsShareWhenOthersAreAdded) {
  const auto few = Named(1000);
  auto many = Named(3000);
  std::ranges::reverse(many);
  std::set<std::string> before;
  for (const std::size_t i : Selected(few, {.to = 0.5})) before.insert(few[i].name);
  std::set<std::string> after;
  for (const std::size_t i : Selected(many, {.to = 0.5})) after.insert(many[i].name);
  for (const ListedObject& object : few) EXPECT_EQ(before.contains(object.name), after.contains(object.name));
}

TEST(SelectObjects, AppliesThePredicateToTheShare) {
  const auto objects = Named(1000);
  const auto is_even = [](const ListedObject& object) { return object.size % 2 == 0; };
  Indices want;
  for (const std::size_t i : Selected(objects, {.from = 0.25, .to = 0.75})) {
    if (i % 2 == 0) want.push_back(i);
  }
  EXPECT_EQ(Selected(objects, {.predicate = is_even, .from = 0.25, .to = 0.75}), want);
  EXPECT_EQ(Selected(objects, {}).size(), 1000U);
  EXPECT_TRUE(Selected(objects, {.from = 0.5, .to = 0.5}).empty());
}

TEST(SelectObjects, RefusesWrongBoundsAndAPredicateThatThrows) {
  const auto objects = Named(3);
  const auto refusal = [&](const Selection& selection) {
    const auto selected = SelectObjects(objects, selection);
    return selected.ok() ? "accepted" : selected.error().message;
  };
  EXPECT_THAT(refusal({.from = 0.6, .to = 0.5}), HasSubstr("0 <= from <= to <= 1"));
  EXPECT_THAT(refusal({.from = -0.1}), HasSubstr("`from` is -0.1"));
  EXPECT_THAT(refusal({.to = 1.5}), HasSubstr("`to` is 1.5"));
  EXPECT_THAT(refusal({.to = std::numeric_limits<double>::quiet_NaN()}), HasSubstr("0 <= from <= to <= 1"));
  const auto throws = [](const ListedObject&) -> bool { throw std::runtime_error("no label"); };
  EXPECT_THAT(refusal({.predicate = throws}), HasSubstr("the predicate threw: no label"));
}

TEST(ListedObjects, HaveWhatDatasetsNeed) {
  const ObjectMetadata object{.bucket = "b", .name = "n", .generation = 7, .size = 5, .crc32c = 3};
  const ListedObject listed = ListedObjects(std::span(&object, 1)).front();
  EXPECT_EQ(listed.name, "n");
  EXPECT_EQ(listed.generation, 7);
  EXPECT_EQ(listed.size, 5U);
  EXPECT_EQ(listed.crc32c, 3U);
}

// Two datasets of one bucket, joined: the first 40 objects and the other 20.
class JoinedDatasetsTest : public DatasetTest {
 protected:
  JoinedDatasetsTest() {
    Put(60);
    const auto whole = Core(/*is_live=*/false);
    const auto part = [&](std::size_t first, std::size_t count, const char* prefix) {
      DatasetCore::Settings settings = *whole->settings();
      settings.prefix.name = prefix;
      const auto begin = whole->objects().begin() + static_cast<std::ptrdiff_t>(first);
      settings.objects.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
      return std::make_shared<const DatasetCore::Settings>(std::move(settings));
    };
    parts_ = {part(0, 40, "o-0"), part(40, 20, "o-1")};
  }

  [[nodiscard]] std::unique_ptr<DatasetCore> Joined() const {
    auto settings = JoinedSettings(parts_);
    EXPECT_TRUE(settings.ok());
    return std::make_unique<DatasetCore>(MakeClient({}), *std::move(settings), options_);
  }
  // As many samples of each as there are: a pass over each in an epoch.
  static EpochOptions How(std::uint64_t rank = 0, std::uint64_t ranks = 1) {
    return {.order = SampleOrder::kGiven,
            .given = *MixedOrder({.sizes = {40, 20}, .weights = {2, 1}, .seed = 4}),
            .seed = 4,
            .batch_size = 4,
            .rank = rank,
            .world_size = ranks};
  }

  std::vector<SharedSettings> parts_ = {};
};

TEST_F(JoinedDatasetsTest, GiveEachSampleOnceUnderFaultsToRanksAndWorkers) {
  std::mt19937 random(7);
  std::map<std::string, std::uint64_t> disturbances;
  for (const std::uint64_t ranks : {1U, 2U, 3U, 5U}) {
    for (const int workers : {1, 2, 8}) {
      Disturb(random());
      std::vector<Texts> epochs(2);
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const auto core = Joined();
        for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
          Add(epochs[epoch], Epoch(*core, How(rank, ranks), epoch, workers));
        }
      }
      for (Texts& texts : epochs) EXPECT_EQ(Sorted(texts), All()) << ranks << " ranks, " << workers << " workers";
      for (const auto& [fault, fired] : Disturbances()) disturbances[fault] += fired;
    }
  }
  for (const auto& [fault, fired] : disturbances) EXPECT_GT(fired, 0U) << fault;
}

TEST_F(JoinedDatasetsTest, ResumeAfterAnyBatchWithAnyNumberOfRanks) {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    Texts used;
    Cursor cursor{.seed = 4, .order = SampleOrder::kGiven, .listing = Joined()->fingerprint()};
    while (cursor.epoch == 0) {
      const std::uint64_t ranks = 1 + random() % 3;
      const std::uint64_t batches = random() % 8;
      Cursor behind = cursor;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        behind = Use(*Joined(), How(rank, ranks), {.cursor = cursor}, batches, used);
      }
      cursor = *ParseCursor(FormatCursor(behind));
    }
    EXPECT_EQ(Sorted(used), All()) << "round " << round;
  }
}

TEST_F(JoinedDatasetsTest, RefuseACursorOfAnotherMix) {
  const auto core = Joined();
  Texts used;
  const Cursor start{.seed = 4, .order = SampleOrder::kGiven, .listing = core->fingerprint()};
  const Cursor cursor = Use(*core, How(), {.cursor = start}, 3, used);
  EpochOptions other = How();
  other.given = *MixedOrder({.sizes = {40, 20}, .weights = {1, 1}, .seed = 4});
  EXPECT_THAT(Joined()->Expect(other, {.cursor = cursor}).error().message, HasSubstr("was another one"));
  other.given = *MixedOrder({.sizes = {40, 10}, .weights = {1, 1}});
  EXPECT_THAT(Joined()->Expect(other, {.cursor = start}).error().message,
              HasSubstr("weights are given for 50 samples, and there are 60"));
}

TEST_F(JoinedDatasetsTest, AreRefusedIfThereIsNoneOrOneIsGivenTwice) {
  EXPECT_THAT(JoinedSettings({}).error().message, HasSubstr("none is given"));
  const auto twice = JoinedSettings({parts_[1], parts_[0], parts_[1]});
  EXPECT_EQ(twice.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(twice.error().message, HasSubstr("dataset 2, gs://bkt/o-1, is the same as dataset 0"));
}

TEST_F(JoinedDatasetsTest, ReadEachFromItsOwnBucketAndNameItInErrors) {
  const Client client = MakeClient({});
  ASSERT_TRUE(client.InsertBucket("other").ok());
  ASSERT_TRUE(client.InsertObject({"other", "o-x"}, AsBytes("o-x")).ok());
  DatasetCore::Settings settings = *parts_[0];
  settings.prefix = {"other", "o-"};
  settings.objects = ListInParallel(client, settings.prefix)->objects;
  parts_[1] = std::make_shared<const DatasetCore::Settings>(std::move(settings));
  const auto names = [&](const DatasetCore& core) { return Epoch(core, {.order = SampleOrder::kByName}, 0, 1); };
  options_.max_skipped = 1;
  const auto core = Joined();
  Texts want(All().begin(), All().begin() + 40);
  want.push_back("o-x");
  EXPECT_EQ(names(*core), want);
  ASSERT_TRUE(client.DeleteObject({"other", "o-x"}).ok());
  const auto last = core->Fetch(std::vector<std::size_t>{39, 40});
  EXPECT_EQ(last.skipped.size(), 1U);
  EXPECT_EQ(core->report({}).skipped_objects.front().name, "gs://other/o-x");
}

TEST_F(JoinedDatasetsTest, AreSelectedFrom) {
  const auto joined = Joined();
  const std::vector<std::size_t> indices = {59, 0, 40, 3};
  auto settings = SelectedSettings(joined->settings(), indices);
  ASSERT_TRUE(settings.ok());
  const DatasetCore selected(MakeClient({}), *std::move(settings), options_);
  Texts want;
  for (const std::size_t index : indices) want.push_back(All()[index]);
  EXPECT_EQ(Epoch(selected, {.order = SampleOrder::kByName}, 0, 1), want);
  EXPECT_NE(selected.fingerprint(), joined->fingerprint());
  EXPECT_THAT(SelectedSettings(joined->settings(), std::vector<std::size_t>{60}).error().message,
              HasSubstr("index 60 of a dataset of 60 samples"));
}

}  // namespace
}  // namespace gcsflux::internal
