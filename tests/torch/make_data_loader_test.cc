#include <gmock/gmock.h>
#include <torch/data/transforms/lambda.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gcsflux/torch/data_loader.h"
#include "support/recorded_events.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;
using torch::data::Example;

class MakeDataLoaderTest : public NumberedObjectsTest {
 protected:
  MakeDataLoaderTest() : dataset_(client_, Object("numbers/"), NumberIn, kDirect) {}

  [[nodiscard]] DataLoader<> Loader(std::size_t workers, const std::optional<Cursor>& cursor = {}) const {
    return MakeDataLoader(dataset_, {.seed = 3, .batch_size = kBatch}, {.workers = workers, .cursor = cursor});
  }

  // The numbers of this many batches, or of the rest of the epoch.
  static std::vector<int> Use(DataLoader<>& loader, std::size_t batches = ~std::size_t{0}) {
    std::vector<int> numbers;
    for (Example<>& batch : loader) {
      for (std::int64_t i = 0; i < batch.data.size(0); ++i) numbers.push_back(batch.data[i].item<int>());
      if (--batches == 0) break;
    }
    return numbers;
  }

  static std::vector<int> AllNumbers() {
    std::vector<int> numbers(kObjects);
    for (int i = 0; i < kObjects; ++i) numbers[static_cast<std::size_t>(i)] = i;
    return numbers;
  }

  MapDataset dataset_;
};

TEST_F(MakeDataLoaderTest, GivesTheSameEpochForAnyNumberOfWorkers) {
  const std::vector<int> expected = [&] {
    DataLoader<> loader = Loader(0);
    return Use(loader);
  }();
  EXPECT_THAT(expected, UnorderedElementsAreArray(AllNumbers()));
  for (const std::size_t workers : {1, 2, 8}) {
    DataLoader<> loader = Loader(workers);
    EXPECT_THAT(Use(loader), ElementsAreArray(expected)) << workers << " workers";
    const std::vector<int> second = Use(loader);
    EXPECT_THAT(second, UnorderedElementsAreArray(AllNumbers())) << workers << " workers";
    EXPECT_NE(second, expected) << "the second epoch has another order";
    EXPECT_EQ(loader.cursor().epoch, 2);
  }
}

// The order is announced: other requests of the workers would be fetched a second time.
TEST_F(MakeDataLoaderTest, FetchesEachObjectOncePerEpoch) {
  DataLoader<> loader =
      MakeDataLoader(MapDataset(client_, Object("numbers/"), NumberIn, {.download = {}, .fetch_across_epochs = false}),
                     {.batch_size = kBatch});
  Use(loader);
  Use(loader);
  const auto is_read = [](const emulator::RequestRecord& request) {
    return request.operation == "storage.objects.get";
  };
  EXPECT_EQ(std::ranges::count_if(emulator_.journal(), is_read), 2 * kObjects);
}

TEST_F(MakeDataLoaderTest, IsNotReportedAsUnannounced) {
  DataLoader<> loader = Loader(2);
  Use(loader);
  EXPECT_EQ(dataset_.report().unannounced_batches, 0);
  auto unannounced =
      torch::data::make_data_loader(MapDataset(dataset_).map(torch::data::transforms::Stack<>()), kBatch);
  std::uint64_t batches = 0;
  for ([[maybe_unused]] const Example<>& batch : *unannounced) ++batches;
  EXPECT_EQ(dataset_.report().unannounced_batches, batches);
}

// With a client that reports its events.
class OrderEventTest : public NumberedObjectsTest {
 protected:
  [[nodiscard]] MapDataset Dataset() const { return {heard_, Object("numbers/"), NumberIn, kDirect}; }

  const std::shared_ptr<testing::RecordedEvents> events_ = std::make_shared<testing::RecordedEvents>();
  const Client heard_ = ValueOrThrow(Client::Create({.endpoint = emulator_.endpoint(), .event_listener = events_}));
};

TEST_F(OrderEventTest, ReportsAnUnannouncedOrderOncePerDataset) {
  for (const std::size_t datasets : {1U, 2U}) {
    const MapDataset dataset = Dataset();
    for (int epoch = 0; epoch < 2; ++epoch) {
      const auto loader =
          torch::data::make_data_loader(MapDataset(dataset), torch::data::DataLoaderOptions(kBatch).workers(4));
      for (const auto& batch : *loader) EXPECT_FALSE(batch.empty());
    }
    ASSERT_EQ(events_->unannounced.size(), datasets);
    EXPECT_EQ(events_->unannounced.back().first, "gs://torch-test/numbers/");
    EXPECT_THAT(events_->unannounced.back().second, AllOf(HasSubstr("MakeDataLoader"), HasSubstr("EpochSampler")));
  }
}

TEST_F(OrderEventTest, DoesNotReportAnAnnouncedOrder) {
  MapDataset dataset = Dataset();
  EXPECT_EQ(dataset.get_batch(std::size_t{0}).size(), 1) << "a program may look at a sample first";
  auto loader = MakeDataLoader(dataset, {.batch_size = kBatch}, {.workers = 2});
  for (const Example<>& batch : loader) EXPECT_GT(batch.data.size(0), 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dataset.get_batch(i).size(), 1);
  EXPECT_EQ(events_->unannounced.size(), 0);
}

TEST_F(MakeDataLoaderTest, CursorFollowsTheCurrentBatch) {
  DataLoader<> loader = Loader(2);
  std::uint64_t batches = 0;
  for (const Example<>& batch : loader) {
    EXPECT_GT(batch.data.size(0), 0);
    const Cursor cursor = loader.cursor();
    const bool is_last = ++batches == (kObjects + kBatch - 1) / kBatch;
    EXPECT_EQ(cursor.epoch, is_last ? 1 : 0);
    EXPECT_EQ(cursor.consumed, is_last ? 0 : batches * kBatch);
  }
}

TEST_F(MakeDataLoaderTest, ContinuesAfterAnAbandonedLoop) {
  for (const std::size_t workers : {0, 2}) {
    DataLoader<> loader = Loader(workers);
    std::vector<int> numbers = Use(loader, 3);
    const std::vector<int> rest = Use(loader);
    numbers.insert(numbers.end(), rest.begin(), rest.end());
    DataLoader<> undisturbed = Loader(workers);
    EXPECT_THAT(numbers, ElementsAreArray(Use(undisturbed))) << workers << " workers";
  }
}

TEST_F(MakeDataLoaderTest, ContinuesAtTheCursorOfAnEarlierRun) {
  DataLoader<> earlier = Loader(2);
  std::vector<int> numbers = Use(earlier, 3);
  DataLoader<> resumed = Loader(1, ValueOrThrow(ParseCursor(FormatCursor(earlier.cursor()))));
  const std::vector<int> rest = Use(resumed);
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  DataLoader<> undisturbed = Loader(0);
  EXPECT_THAT(numbers, ElementsAreArray(Use(undisturbed)));
}

TEST_F(MakeDataLoaderTest, RethrowsAWorkersStorageError) {
  for (const std::size_t workers : {0, 2}) {
    const MapDataset dataset(client_, Object("numbers/"), NumberIn, kDirect);
    auto loader = MakeDataLoader(dataset, {.order = SampleOrder::kByName, .batch_size = kBatch}, {.workers = workers});
    ASSERT_TRUE(client_.DeleteObject(Object(NameOf(kBatch))).ok());
    std::vector<int> numbers;
    const Error error = ThrownBy([&] {
      for (const Example<>& batch : loader) numbers.push_back(batch.data[0].item<int>());
    });
    EXPECT_EQ(error.code, ErrorCode::kNotFound) << workers << " workers";
    EXPECT_THAT(error.message, HasSubstr(NameOf(kBatch)));
    EXPECT_EQ(loader.cursor().consumed, kBatch) << "behind the batch that came";
    Put(NameOf(kBatch), std::to_string(kBatch));
  }
}

TEST_F(MakeDataLoaderTest, RefusesACursorOfAnotherListingUnlessAllowed) {
  const Cursor cursor = Loader(0).cursor();
  Put("numbers/2000", "50");
  const MapDataset grown(client_, Object("numbers/"), NumberIn, kDirect);
  const EpochOptions epochs{.seed = 3, .batch_size = kBatch};
  const Error error = ThrownBy([&] { static_cast<void>(MakeDataLoader(grown, epochs, {.cursor = cursor})); });
  EXPECT_THAT(error.message, HasSubstr("number of objects is 50 in the cursor and 51 here"));
  auto loader = MakeDataLoader(grown, epochs, {.cursor = cursor, .allow_changed_listing = true});
  EXPECT_EQ(Use(loader).size(), kObjects + 1);
}

TEST_F(MakeDataLoaderTest, FollowsAGivenOrderWithAnyNumberOfWorkers) {
  const auto weighted = ValueOrThrow(GivenOrder::Weighted(std::vector<double>(kObjects, 1), 30, 5));
  std::vector<int> expected;
  for (const std::size_t workers : {0, 1, 4}) {
    auto loader =
        MakeDataLoader(dataset_, {.given = weighted, .epochs = 2, .batch_size = kBatch}, {.workers = workers});
    std::vector<int> numbers = Use(loader);
    EXPECT_EQ(numbers.size(), 30);
    const std::vector<int> second = Use(loader);
    numbers.insert(numbers.end(), second.begin(), second.end());
    if (expected.empty()) expected = numbers;
    EXPECT_EQ(numbers, expected) << workers << " workers";
    EXPECT_EQ(dataset_.report().unannounced_batches, 0);
  }
}

TEST_F(MakeDataLoaderTest, UsesTheCallersCollation) {
  using Samples = std::vector<Example<>>;
  const torch::data::transforms::BatchLambda<Samples, std::size_t> count([](const Samples& all) { return all.size(); });
  auto loader = MakeDataLoader(dataset_, {.tail = EpochTail::kDrop, .batch_size = kBatch}, {}, count);
  std::vector<std::size_t> sizes;
  for (const std::size_t size : loader) sizes.push_back(size);
  EXPECT_THAT(sizes, ElementsAreArray(std::vector<std::size_t>(kObjects / kBatch, kBatch)));
}

}  // namespace
}  // namespace gcsflux
