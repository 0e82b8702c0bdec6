#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/utils.h>

#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "gcsflux/torch/map_dataset.h"
#include "support/fails_with.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::data::DataLoaderOptions;
using torch::data::Example;
using torch::data::samplers::RandomSampler;
using torch::data::samplers::SequentialSampler;
using torch::data::transforms::Stack;

class DataLoaderTest : public NumberedObjectsTest {
 protected:
  template <class Sampler>
  auto LoaderWith(std::size_t workers) {
    return torch::data::make_data_loader<Sampler>(MapDataset(client_, Object("numbers/"), NumberIn).map(Stack<>()),
                                                  DataLoaderOptions().batch_size(7).workers(workers));
  }

  template <class Loader>
  static std::vector<int> Epoch(Loader& loader) {
    std::vector<int> numbers;
    for (const Example<>& batch : loader) {
      EXPECT_EQ(batch.data.sizes(), batch.target.sizes());
      for (std::int64_t i = 0; i < batch.data.size(0); ++i) numbers.push_back(batch.data[i].template item<int>());
    }
    return numbers;
  }
};

std::vector<int> AllNumbers() {
  std::vector<int> numbers(kObjects);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_F(DataLoaderTest, GivesObjectsInOrderWithAnyNumberOfWorkers) {
  for (const std::size_t workers : {0, 1, 2, 5}) {
    const auto loader = LoaderWith<SequentialSampler>(workers);
    EXPECT_EQ(Epoch(*loader), AllNumbers()) << workers << " workers";
  }
}

TEST_F(DataLoaderTest, GivesEachObjectOncePerShuffledEpoch) {
  const auto loader = LoaderWith<RandomSampler>(2);
  std::vector<int> previous;
  for (int epoch = 0; epoch < 3; ++epoch) {
    const std::vector<int> numbers = Epoch(*loader);
    EXPECT_THAT(numbers, ::testing::UnorderedElementsAreArray(AllNumbers())) << "epoch " << epoch;
    EXPECT_NE(numbers, previous);
    previous = numbers;
  }
}

TEST_F(DataLoaderTest, ShufflesOnlyByTheSeed) {
  std::vector<std::vector<int>> epochs;
  for (const std::size_t workers : {0, 2}) {
    const auto loader = LoaderWith<RandomSampler>(workers);
    torch::manual_seed(7);
    epochs.push_back(Epoch(*loader));
  }
  EXPECT_EQ(epochs[0], epochs[1]);
}

TEST_F(DataLoaderTest, NamesTheObjectInAWorkersError) {
  for (const std::size_t workers : {1, 2}) {
    const auto loader = LoaderWith<SequentialSampler>(workers);
    Put(NameOf(20), "overwritten since it was listed");
    try {
      Epoch(*loader);
      ADD_FAILURE() << "nothing was thrown with " << workers << " workers";
    } catch (const torch::data::WorkerException& worker) {
      EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { std::rethrow_exception(worker.original_exception); }),
                                     ErrorCode::kNotFound, HasSubstr("gs://torch-test/" + NameOf(20))));
    }
  }
}

}  // namespace
}  // namespace gcsflux
