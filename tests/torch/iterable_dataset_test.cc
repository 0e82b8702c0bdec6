#include "gcsflux/torch/iterable_dataset.h"

#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "support/fails_with.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::data::DataLoaderOptions;
using torch::data::Example;

void AddTo(std::vector<int>& numbers, const std::vector<Example<>>& samples) {
  for (const Example<>& sample : samples) numbers.push_back(sample.data.item<int>());
}

std::vector<int> All() {
  std::vector<int> all(kObjects);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> Sorted(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

class IterableDatasetTest : public NumberedObjectsTest, public ::testing::WithParamInterface<SampleOrder> {
 protected:
  [[nodiscard]] IterableDataset Dataset(std::uint64_t rank = 0, std::uint64_t world_size = 1,
                                        const DatasetOptions& options = kDirect) const {
    return {client_,
            Object("numbers/"),
            NumberIn,
            {.order = GetParam(),
             .shuffle_buffer = 12,
             .seed = 3,
             .batch_size = kBatch,
             .rank = rank,
             .world_size = world_size},
            options};
  }
  [[nodiscard]] IterableDataset FailingWhile(const std::atomic<bool>& fails) const {
    const auto transform = [&fails](const ListedObject& object, std::span<const std::byte> bytes) {
      if (fails && object.name == "numbers/1020") throw std::runtime_error("not yet");
      return NumberIn(object, bytes);
    };
    return {client_,
            Object("numbers/"),
            transform,
            {.order = GetParam(), .shuffle_buffer = 12, .batch_size = kBatch},
            kDirect};
  }
};

TEST_P(IterableDatasetTest, GivesEachSampleOncePerEpoch) {
  const auto dataset = Dataset();
  std::vector<std::vector<int>> epochs(2);
  for (auto& numbers : epochs) {
    for (auto& batch : dataset.Epoch()) AddTo(numbers, batch.samples);
    EXPECT_EQ(Sorted(numbers), All());
  }
  EXPECT_EQ(dataset.cursor().epoch, 2U);
  EXPECT_EQ(epochs[0] == epochs[1], GetParam() == SampleOrder::kByName);
  std::vector<int> again;
  for (auto& batch : Dataset().Epoch()) AddTo(again, batch.samples);
  EXPECT_EQ(again, epochs[0]);
}

TEST_P(IterableDatasetTest, ResumesWhereItStopped) {
  std::mt19937 random(1);
  std::vector<int> whole;
  for (auto& batch : Dataset().Epoch()) AddTo(whole, batch.samples);
  for (int round = 0; round < 10; ++round) {
    std::vector<int> numbers;
    std::optional<Cursor> cursor;
    const std::size_t left_after = 1 + random() % 7;
    std::size_t batches = 0;
    for (auto& batch : Dataset().Epoch()) {
      AddTo(numbers, batch.samples);
      cursor = ValueOrThrow(ParseCursor(FormatCursor(batch.cursor)));
      if (++batches == left_after) break;
    }
    const auto resumed = Dataset();
    for (auto& batch : resumed.Epoch(cursor)) AddTo(numbers, batch.samples);
    EXPECT_EQ(numbers, whole) << "left after " << left_after << " batches";
    EXPECT_EQ(resumed.cursor().epoch, 1U);
  }
}

TEST_P(IterableDatasetTest, GivesTheRestToAnotherNumberOfRanks) {
  std::vector<int> numbers;
  std::optional<Cursor> cursor;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    int batches = 0;
    for (auto& batch : Dataset(rank, 3).Epoch()) {
      AddTo(numbers, batch.samples);
      cursor = batch.cursor;
      if (++batches == 1) break;
    }
  }
  EXPECT_EQ(cursor->consumed, 3 * kBatch);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    for (auto& batch : Dataset(rank, 2).Epoch(cursor)) AddTo(numbers, batch.samples);
  }
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(IterableDatasetTest, SurvivesAnAbandonedLoop) {
  const auto dataset = Dataset();
  std::vector<int> numbers;
  for (int loops = 0; loops < 20 && dataset.cursor().epoch == 0; ++loops) {
    for (auto& batch : dataset.Epoch()) {
      AddTo(numbers, batch.samples);
      break;
    }
  }
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(IterableDatasetTest, FeedsADataLoaderWithAnyNumberOfWorkers) {
  for (const std::size_t workers : {0U, 1U, 2U, 8U}) {
    const auto loader = torch::data::make_data_loader(Dataset(), DataLoaderOptions(kBatch).workers(workers));
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::vector<int> numbers;
      for (const auto& batch : *loader) {
        AddTo(numbers, batch);
        loader->options();
      }
      EXPECT_EQ(Sorted(numbers), All()) << workers << " workers";
    }
  }
}

TEST_P(IterableDatasetTest, ResumesALoaderAtTheConsumedBatches) {
  const auto dataset = Dataset();
  std::vector<int> numbers;
  {
    const auto loader = torch::data::make_data_loader(IterableDataset(dataset), DataLoaderOptions(kBatch).workers(1));
    int batches = 0;
    for (const auto& batch : *loader) {
      AddTo(numbers, batch);
      dataset.BatchConsumed();
      if (++batches == 3) break;
    }
  }
  EXPECT_EQ(dataset.consumed().consumed, 3 * kBatch);
  for (auto& batch : Dataset().Epoch(dataset.consumed())) AddTo(numbers, batch.samples);
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(IterableDatasetTest, NamesAMissingObject) {
  const IterableDataset dataset = Dataset();
  std::optional<std::string> message;
  int batches = 0;
  try {
    for (auto& batch : dataset.Epoch()) {
      if (batches++ == 0) ValueOrThrow(client_.DeleteObject(Object("numbers/1049")));
      EXPECT_FALSE(batch.samples.empty());
    }
  } catch (const StorageError& error) {
    EXPECT_EQ(error.error().code, ErrorCode::kNotFound);
    message = error.what();
  }
  // It may have been fetched before it was deleted.
  if (message) {
    EXPECT_THAT(*message, HasSubstr("numbers/1049"));
  }
}

TEST_P(IterableDatasetTest, StartsTheNextLoopWithAFailedBatch) {
  std::atomic<bool> fails = true;
  const auto dataset = FailingWhile(fails);
  std::vector<int> numbers;
  EXPECT_THROW(for (auto& batch : dataset.Epoch()) AddTo(numbers, batch.samples), StorageError);
  EXPECT_EQ(dataset.cursor().consumed, numbers.size());
  fails = false;
  for (auto& batch : dataset.Epoch()) AddTo(numbers, batch.samples);
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(IterableDatasetTest, IteratorOutlivesItsEpochAndDataset) {
  auto batch = Dataset().Epoch().begin();
  std::vector<int> numbers;
  for (const decltype(batch) end; batch != end; ++batch) AddTo(numbers, batch->samples);
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(IterableDatasetTest, SkipsBadObjectsUpToALimit) {
  Put("numbers/1020", "no number");
  Put("numbers/1021", "neither");
  const auto dataset = Dataset(0, 1, {.download = {}, .max_skipped = 2});
  for (int epoch = 0; epoch < 3; ++epoch) {  // The same two each time, which count once.
    std::vector<int> numbers;
    for (auto& batch : dataset.Epoch()) AddTo(numbers, batch.samples);
    EXPECT_EQ(numbers.size(), kObjects - 2U);
  }
  EXPECT_EQ(dataset.report().skipped, 2U);
  const Error error = ThrownBy([&] {
    std::vector<int> numbers;
    for (auto& batch : Dataset(0, 1, {.download = {}, .max_skipped = 1}).Epoch()) AddTo(numbers, batch.samples);
  });
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
}

std::string NameOfOrder(const ::testing::TestParamInfo<SampleOrder>& order) {
  constexpr std::array<const char*, 3> kNames = {"ByName", "Shuffled", "Buffered"};
  return kNames.at(static_cast<std::size_t>(order.param));
}

TEST_P(IterableDatasetTest, ReportsItsWork) {
  Put("numbers/1020", "no number");
  const auto dataset = Dataset(0, 1, {.download = {}, .max_skipped = 1, .fetch_across_epochs = false});
  std::size_t samples = 0;
  for (auto& batch : dataset.Epoch()) samples += batch.samples.size();
  const DatasetReport report = dataset.report({.class_a_per_1000 = 0, .class_b_per_1000 = 1});
  EXPECT_EQ(report.epochs, 1U);
  EXPECT_EQ(report.batches, 8U);
  EXPECT_EQ(report.samples, samples);
  EXPECT_EQ(report.samples, kObjects - 1U);
  EXPECT_EQ(report.bytes, 10U + 2 * (kObjects - 11));  // "0" to "49" without "20".
  EXPECT_EQ(report.skipped, 1U);
  ASSERT_EQ(report.skipped_objects.size(), 1U);
  EXPECT_THAT(report.skipped_objects[0].name, HasSubstr("numbers/1020"));
  EXPECT_EQ(report.slowest.size(), 10U);
  EXPECT_GT(report.slowest[0].duration.count(), 0);
  EXPECT_GE(report.client.class_a_operations,
            GetParam() == SampleOrder::kShuffled ? 0U : 1U);  // Else it listed before.
  EXPECT_EQ(report.client.class_b_operations, static_cast<std::uint64_t>(kObjects));
  EXPECT_DOUBLE_EQ(report.price, kObjects / 1000.0);
  while (dataset.report().held_bytes > 0) std::this_thread::yield();  // The last one is returned as it arrives.
  EXPECT_GT(report.max_held_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Each, IterableDatasetTest,
                         ::testing::Values(SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered),
                         NameOfOrder);

using IterableDatasetErrorsTest = BucketTest;

TEST_F(IterableDatasetErrorsTest, ReportAnEmptyPrefixInEveryOrder) {
  for (const SampleOrder order : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    const Error error = ThrownBy([&] {
      for (auto& batch : IterableDataset(client_, Object("none/"), NumberIn, {.order = order}, kDirect).Epoch()) {
        FAIL() << batch.samples.size();
      }
    });
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kEmptyPrefix, HasSubstr("none/")));
  }
}

TEST_F(IterableDatasetErrorsTest, RefuseACursorOfAnotherListingUnlessAllowed) {
  for (int i = 0; i < 9; ++i) Put("n/" + std::to_string(i), std::to_string(i));
  for (const SampleOrder order : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    const auto make = [&] {
      return IterableDataset(client_, Object("n/"), NumberIn, {.order = order, .shuffle_buffer = 2, .batch_size = 2},
                             kDirect);
    };
    std::optional<Cursor> cursor;
    for (auto& batch : make().Epoch()) {
      cursor = batch.cursor;
      if (cursor->consumed == 4) break;
    }
    Put("n/0", "100");  // Another generation.
    const Error error = ThrownBy([&] {
      for (auto& batch : make().Epoch(cursor)) FAIL() << batch.samples.size();
    });
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument, HasSubstr("the cursor is of another run")));
    std::size_t samples = 0;
    for (auto& batch : make().Epoch(cursor, /*allow_changed_listing=*/true)) samples += batch.samples.size();
    EXPECT_EQ(samples, 5U);
  }
}

TEST_F(IterableDatasetErrorsTest, NameWrongOptions) {
  Put("n/a", "1");
  const auto refused = [&](const IterableDataset::Transform& transform, const EpochOptions& epochs, const char* words) {
    EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { IterableDataset(client_, Object("n/"), transform, epochs); }),
                                   ErrorCode::kInvalidArgument, HasSubstr(words)))
        << words;
  };
  refused(nullptr, {}, "needs a transform");
  refused(NumberIn, {.batch_size = 0}, "batch_size");
  refused(NumberIn, {.rank = 2, .world_size = 2}, "rank");
  refused(NumberIn, {.order = SampleOrder::kByName, .shuffle_buffer = 0}, "shuffle_buffer");
  refused(NumberIn, {.rank = 1, .world_size = 2}, "has no batch for rank 1");
}

TEST_F(IterableDatasetErrorsTest, RefuseAnotherBatchSizeThanTheLoaders) {
  Put("n/a", "1");
  const IterableDataset dataset(client_, Object("n/"), NumberIn, {.batch_size = 2}, kDirect);
  const auto loader = torch::data::make_data_loader(IterableDataset(dataset), DataLoaderOptions(3));
  const Error error = ThrownBy([&] {
    for (const auto& batch : *loader) FAIL() << batch.size();
  });
  EXPECT_THAT(error.message, HasSubstr("batches are of 3 samples"));
  EXPECT_THAT(ThrownBy([&] { dataset.BatchConsumed(); }).message, HasSubstr("no batch is handed out"));
}

// They would be remembered until the end of the epoch.
TEST_F(IterableDatasetErrorsTest, RefuseBatchConsumedInALoopOverAnEpoch) {
  for (const char* name : {"n/a", "n/b"}) Put(name, "1");
  const IterableDataset dataset(client_, Object("n/"), NumberIn, {}, kDirect);
  for (const auto& batch : dataset.Epoch()) {
    EXPECT_EQ(batch.samples.size(), 1U);
    EXPECT_THAT(ThrownBy([&] { dataset.BatchConsumed(); }).message, HasSubstr("no batch is handed out"));
  }
}

using Position = Cursor (IterableDataset::*)() const;

class ChangedBatchesTest : public IterableDatasetErrorsTest {
 protected:
  // Loops over three epochs of four batches with two workers. In the first one, the last batch but one waits until this
  // position is past the last one.
  void Loop(Position position, bool enforce_ordering) {
    for (const char* name : {"n/0", "n/1", "n/2", "n/3"}) Put(name, std::string(1, name[2]));
    const IterableDataset* loops = nullptr;
    const auto wait_for_last = [&](const ListedObject& object, std::span<const std::byte> bytes) {
      while (object.name == "n/2" && (loops->*position)().epoch == 0) std::this_thread::yield();
      return NumberIn(object, bytes);
    };
    const IterableDataset dataset(client_, Object("n/"), wait_for_last, {.order = SampleOrder::kByName},
                                  {.download = {}, .decode_threads = 0});
    loops = &dataset;
    const auto loader = torch::data::make_data_loader(
        IterableDataset(dataset), DataLoaderOptions(1).workers(2).enforce_ordering(enforce_ordering));
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
      std::vector<int> numbers;
      for (const auto& batch : *loader) {
        AddTo(numbers, batch);
        dataset.BatchConsumed();
      }
      EXPECT_EQ(Sorted(numbers), (std::vector<int>{0, 1, 2, 3}));
      EXPECT_EQ(dataset.consumed().epoch, epoch);
      EXPECT_EQ(dataset.consumed().consumed, 0U);
    }
  }
};

// The last batch is made before the last but one.
TEST_F(ChangedBatchesTest, EndTheEpoch) { Loop(&IterableDataset::cursor, /*enforce_ordering=*/true); }

// The last batch is consumed before the last but one is made.
TEST_F(ChangedBatchesTest, NeverLowerTheConsumedCount) { Loop(&IterableDataset::consumed, /*enforce_ordering=*/false); }

// A transform that owns the dataset: the decode thread that calls it destroys both.
TEST_F(IterableDatasetErrorsTest, AllowTheTransformToDestroyTheDataset) {
  struct Meeting {
    std::weak_ptr<const IterableDataset> dataset = {};
    std::atomic<bool> is_over = false;
    std::latch held{1};
    std::latch left{1};
    std::latch destroyed{1};
  };
  for (int i = 100; i < 140; ++i) Put("n/" + std::to_string(i), "1");
  const auto meeting = std::make_shared<Meeting>();  // The transform may end later than the test.
  const auto transform = [meeting](const ListedObject& object, std::span<const std::byte> bytes) {
    const std::string name = object.name;
    if (name < "n/110" || meeting->is_over.exchange(true)) return NumberIn(object, bytes);  // Not of the first batch.
    auto own = meeting->dataset.lock();
    meeting->held.count_down();
    meeting->left.wait();
    own.reset();
    EXPECT_EQ(object.name, name) << "the listing stays until the transform ends";
    meeting->destroyed.count_down();
    throw std::runtime_error("what becomes of it does not matter");
  };
  auto dataset = std::make_shared<const IterableDataset>(client_, Object("n/"), transform,
                                                         EpochOptions{.order = SampleOrder::kByName, .batch_size = 2},
                                                         DatasetOptions{.download = {}, .max_skipped = 1});
  meeting->dataset = dataset;
  for (const auto& batch : dataset->Epoch()) {
    EXPECT_EQ(batch.samples.size(), 2U);
    break;
  }
  meeting->held.wait();
  dataset.reset();
  meeting->left.count_down();
  meeting->destroyed.wait();
  EXPECT_TRUE(meeting->dataset.expired());
}

TEST_F(IterableDatasetErrorsTest, GiveBytesWithoutATransform) {
  Put("n/a", "first");
  Put("n/b", "");
  for (const bool copy_out : {false, true}) {
    std::vector<torch::Tensor> tensors;
    for (auto& batch : TensorIterableDataset(client_, Object("n/"), {.order = SampleOrder::kByName, .batch_size = 2},
                                             {.download = {}, .copy_out = copy_out})
                           .Epoch()) {
      for (auto& sample : batch.samples) tensors.push_back(sample.data);
    }
    ASSERT_EQ(tensors.size(), 2U);  // They outlive the dataset.
    EXPECT_EQ(tensors[0].scalar_type(), torch::kUInt8);
    EXPECT_EQ(std::string(static_cast<const char*>(tensors[0].data_ptr()), 5), "first");
    EXPECT_EQ(tensors[1].numel(), 0);
  }
}

}  // namespace
}  // namespace gcsflux
