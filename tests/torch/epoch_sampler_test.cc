#include "gcsflux/torch/epoch_sampler.h"

#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>

#include "support/fails_with.h"
#include "support/load_fault.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;
using torch::data::DataLoaderOptions;
using torch::data::Example;
using torch::data::transforms::Stack;

class EpochSamplerTest : public NumberedObjectsTest {
 protected:
  EpochSamplerTest() { dataset_.emplace(client_, Object("numbers/"), NumberIn, DatasetOptions{.download = {}}); }

  [[nodiscard]] EpochSampler Sampler(const std::optional<Cursor>& cursor = {}) const {
    return {*dataset_, {.seed = 3, .batch_size = kBatch}, cursor};
  }

  auto LoaderOf(const EpochSampler& sampler, std::size_t workers) const {
    return torch::data::make_data_loader(MapDataset(*dataset_).map(Stack<>()), sampler,
                                         DataLoaderOptions(kBatch).workers(workers));
  }

  // The numbers of so many batches, or of all that are left of the epoch.
  std::vector<int> Use(EpochSampler& sampler, std::size_t workers, std::size_t batches = ~std::size_t{0}) const {
    std::vector<int> numbers;
    if (batches == 0) return numbers;
    const auto loader = LoaderOf(sampler, workers);
    for (const Example<>& batch : *loader) {
      for (std::int64_t i = 0; i < batch.data.size(0); ++i) numbers.push_back(batch.data[i].template item<int>());
      sampler.BatchConsumed();
      if (--batches == 0) break;
    }
    return numbers;
  }

  std::optional<MapDataset> dataset_;
};

std::vector<int> NumbersInOrder() {
  std::vector<int> numbers(kObjects);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_F(EpochSamplerTest, GivesEachObjectOncePerEpochWithAnyWorkers) {
  std::vector<std::vector<int>> first_epochs;
  for (const std::size_t workers : {0, 1, 2, 8}) {
    EpochSampler sampler = Sampler();
    const std::vector<int> first = Use(sampler, workers);
    const std::vector<int> second = Use(sampler, workers);
    EXPECT_THAT(first, UnorderedElementsAreArray(NumbersInOrder())) << workers << " workers";
    EXPECT_THAT(second, UnorderedElementsAreArray(NumbersInOrder())) << workers << " workers";
    EXPECT_NE(first, second) << "an epoch is shuffled by default";
    first_epochs.push_back(first);
  }
  for (const auto& epoch : first_epochs) EXPECT_EQ(epoch, first_epochs.front());
}

// libtorch's workers fetch batches ahead: the sampler is ahead of the loop.
TEST_F(EpochSamplerTest, ResumesAfterConsumedBatches) {
  for (const std::size_t workers : {0, 1, 2, 8}) {
    for (const std::size_t batches : {1, 3, 7}) {
      EpochSampler killed = Sampler();
      std::vector<int> numbers = Use(killed, workers, batches);
      EXPECT_EQ(killed.cursor().consumed, batches * kBatch);
      EpochSampler resumed = Sampler(ValueOrThrow(ParseCursor(FormatCursor(killed.cursor()))));
      const std::vector<int> rest = Use(resumed, workers);
      numbers.insert(numbers.end(), rest.begin(), rest.end());
      EpochSampler undisturbed = Sampler();
      EXPECT_EQ(numbers, Use(undisturbed, workers)) << workers << " workers, killed after " << batches;
    }
  }
}

TEST_F(EpochSamplerTest, ContinuesAnAbandonedEpochWithTheNextLoader) {
  EpochSampler sampler = Sampler();
  std::vector<int> numbers = Use(sampler, 2, 3);
  const std::vector<int> rest = Use(sampler, 2);
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  EXPECT_THAT(numbers, UnorderedElementsAreArray(NumbersInOrder()));
}

// A worker waits for the first batch, and others for later ones.
TEST_F(EpochSamplerTest, DeliversLaterBatchesDuringAStall) {
  EpochSampler sampler = Sampler();
  sampler.reset();
  const std::vector<std::size_t> first = *sampler.next(kBatch);
  emulator_.clock().Freeze();
  testing::LoadFault(emulator_, "held",
                     {.operation = "storage.objects.get", .object_prefix = dataset_->objects()[first.front()].name},
                     {.type = "stall", .duration = std::chrono::hours(1)}, 1);
  std::size_t samples = 0;
  std::thread worker([&, dataset = *dataset_]() mutable { samples = dataset.get_batch(first).size(); });
  while (emulator_.faults().Fired("held") == 0) std::this_thread::yield();
  while (const auto batch = sampler.next(kBatch)) EXPECT_EQ(dataset_->get_batch(*batch).size(), batch->size());
  emulator_.clock().Advance(std::chrono::hours(2));
  worker.join();
  EXPECT_EQ(samples, kBatch);
}

TEST_F(EpochSamplerTest, RefusesACursorOfAnotherListing) {
  EpochSampler sampler = Sampler();
  Put("numbers/2000", "50");
  dataset_.emplace(client_, Object("numbers/"), NumberIn, DatasetOptions{.download = {}});
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { static_cast<void>(Sampler(sampler.cursor())); }),
                                 ErrorCode::kInvalidArgument,
                                 HasSubstr("number of objects is 50 in the cursor and 51 here")));
}

TEST_F(EpochSamplerTest, RefusesALoaderWithAnotherBatchSize) {
  EpochSampler sampler = Sampler();
  const auto loader =
      torch::data::make_data_loader(MapDataset(*dataset_).map(Stack<>()), sampler, DataLoaderOptions(kBatch + 1));
  const Error error = ThrownBy([&] {
    for (const Example<>& batch : *loader) ADD_FAILURE() << "a batch of " << batch.data.size(0);
  });
  EXPECT_THAT(error.message, HasSubstr("batches are of 8 samples, and EpochOptions::batch_size is 7"));
}

TEST_F(EpochSamplerTest, RefusesAnArchiveWithoutACursor) {
  for (const bool is_there : {false, true}) {
    std::stringstream file;
    torch::serialize::OutputArchive out;
    if (is_there) out.write("cursor", c10::IValue(7));
    out.save_to(file);
    torch::serialize::InputArchive in;
    in.load_from(file);
    EpochSampler sampler = Sampler();
    EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { sampler.load(in); }), ErrorCode::kInvalidArgument,
                                   HasSubstr("holds no cursor")));
  }
}

TEST_F(EpochSamplerTest, RoundTripsItsCursorThroughAnArchive) {
  EpochSampler sampler = Sampler();
  Use(sampler, 0, 2);
  std::stringstream file;
  torch::serialize::OutputArchive out;
  sampler.save(out);
  out.save_to(file);
  EpochSampler other = Sampler();
  torch::serialize::InputArchive in;
  in.load_from(file);
  other.load(in);
  EXPECT_EQ(other.cursor(), sampler.cursor());
}

}  // namespace
}  // namespace gcsflux
