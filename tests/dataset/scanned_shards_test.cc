// Shards without an index, by the core of datasets: any number of workers and ranks, with faults.
#include <gmock/gmock.h>

#include <memory>
#include <random>

#include "dataset/dataset_fixture.h"
#include "gcsflux/shards.h"
#include "shards/tar_archives.h"

namespace gcsflux::testing {
namespace {

constexpr auto kBucket = "dataset-test";

class ScannedShardsCoreTest : public DatasetTest, public ::testing::WithParamInterface<SampleOrder> {
 protected:
  static constexpr int kShards = 7;

  ScannedShardsCoreTest() {
    const Client client = MakeClient({});
    static_cast<void>(client.InsertBucket(kBucket));
    int number = 100;
    for (int shard = 0; shard < kShards; ++shard) {
      std::vector<TarFile> files;
      for (int i = 0; i < 5 + shard; ++i) {
        const std::string key = std::to_string(number++);
        keys_.push_back(key);
        files.push_back({key + ".txt", key});
        files.push_back({key + ".bin", std::string(3000, static_cast<char>('a' + number % 26))});
      }
      const std::string tar = TarOf(files);
      EXPECT_TRUE(client.InsertObject({kBucket, "s/" + std::to_string(shard) + ".tar"}, BytesOf(tar)).ok());
    }
  }

  [[nodiscard]] std::unique_ptr<internal::DatasetCore> Core() const {
    const Client client = MakeClient({});
    auto shards = ListInParallel(client, {kBucket, "s/"}, {.max_concurrency = 2})->objects;
    internal::SampleWork work{
        .make = [](std::size_t samples) { return std::make_shared<Texts>(samples); },
        .decode = [](void* batch, std::size_t place, const ListedObject& object, DownloadedObject& downloaded,
                     const SampleContext&) -> internal::DecodedSample {
          const auto sample = internal::SampleIn(object, downloaded.bytes);
          if (!sample) return {.exception = std::make_exception_ptr(std::runtime_error(sample.error().message))};
          const auto text = sample->Member("txt");
          EXPECT_EQ(sample->members().size(), 2U);
          (*static_cast<Texts*>(batch))[place].assign(reinterpret_cast<const char*>(text->data()), text->size());
          return {.bytes = kDecodedBytes};
        }};
    return std::make_unique<internal::DatasetCore>(
        client,
        internal::DatasetCore::Settings{
            .prefix = {kBucket, "s/"},
            .work = std::move(work),
            .scanned = std::make_shared<const std::vector<ListedObject>>(std::move(shards))},
        options_);
  }
  [[nodiscard]] EpochOptions How(std::uint64_t batch, std::uint64_t rank = 0, std::uint64_t ranks = 1) const {
    return {
        .order = GetParam(), .shuffle_buffer = 9, .seed = 4, .batch_size = batch, .rank = rank, .world_size = ranks};
  }
  [[nodiscard]] static Cursor Start(const internal::DatasetCore& core, const EpochOptions& how) {
    return {.seed = how.seed,
            .order = how.sample_order(),
            .shuffle_buffer = how.sample_order() == SampleOrder::kBuffered ? how.shuffle_buffer : 0,
            .listing = core.fingerprint()};
  }

  Texts keys_ = {};
};

TEST_P(ScannedShardsCoreTest, GiveEachSampleOnceToAnyNumberOfWorkers) {
  Disturb(3);
  const auto core = Core();
  for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
    EXPECT_EQ(Sorted(Epoch(*core, How(4), epoch, 1 + static_cast<int>(epoch % 3))), keys_) << epoch;
  }
  EXPECT_GE(Disturbances()["fails"] + Disturbances()["cut"], 1U);
}

TEST_P(ScannedShardsCoreTest, ResumeAtTheSampleOnEachRankWithAnyBatchSize) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t ranks = 1 + random() % 4;
    Texts all;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const auto whole_core = Core();
      Texts whole;
      Use(*whole_core, How(3, rank, ranks), {.cursor = Start(*whole_core, How(3, rank, ranks))}, 100, whole);
      Texts used;
      Cursor cursor = Start(*whole_core, How(1, rank, ranks));
      while (cursor.epoch == 0) {
        const auto core = Core();
        cursor = *ParseCursor(FormatCursor(cursor));
        cursor = Use(*core, How(1 + random() % 6, rank, ranks), {.cursor = cursor}, 1 + random() % 4, used);
      }
      EXPECT_EQ(used, whole) << "round " << round << ", rank " << rank << " of " << ranks;
      Add(all, used);
    }
    EXPECT_EQ(Sorted(all), keys_);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, ScannedShardsCoreTest,
                         ::testing::Values(SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered));

}  // namespace
}  // namespace gcsflux::testing
