#include "gcsflux/torch/shard_dataset.h"

#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gcsflux/torch/data_loader.h"
#include "shards/tar_archives.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::data::Example;

constexpr int kShards = 5;
constexpr int kOfShard = 12;
constexpr int kSamples = kShards * kOfShard;
constexpr std::uint64_t kBatch = 7;
const DatasetOptions kDirect = {.download = {.max_concurrency = 4}, .listing = {.max_concurrency = 2}};

// The number that both members of a sample have.
Example<> NumberIn(const ShardSample& sample) {
  const auto text = [&](const char* extension) {
    const auto bytes = ValueOrThrow(sample.Member(extension));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const int number = std::stoi(text("txt"));
  if (text("bin") != std::string(static_cast<std::size_t>(100 + number), static_cast<char>('a' + number % 26)) ||
      sample.key() != "d/" + std::to_string(number)) {
    throw std::runtime_error("another sample's part");
  }
  return {torch::tensor(number), torch::tensor(0)};
}

void AddTo(std::vector<int>& numbers, const std::vector<Example<>>& samples) {
  for (const Example<>& sample : samples) numbers.push_back(sample.data.item<int>());
}

std::vector<int> All() {
  std::vector<int> all(kSamples);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> Sorted(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

class ShardDatasetTest : public BucketTest {
 protected:
  ShardDatasetTest() {
    for (int shard = 0; shard < kShards; ++shard) Put(NameOf(shard), ShardOf(shard));
  }

  static std::string NameOf(int shard) { return "train/" + std::to_string(shard) + ".tar"; }
  static std::string ShardOf(int shard) {
    std::vector<testing::TarFile> files;
    for (int number = shard * kOfShard; number < (shard + 1) * kOfShard; ++number) {
      const std::string key = "d/" + std::to_string(number);
      files.push_back({key + ".txt", std::to_string(number)});
      files.push_back(
          {key + ".bin", std::string(static_cast<std::size_t>(100 + number), static_cast<char>('a' + number % 26))});
    }
    return testing::TarOf(files);
  }

  void MakeIndexes() const { ValueOrThrow(IndexShards(client_, Object("train/"))); }

  [[nodiscard]] EpochOptions Options(SampleOrder order, std::uint64_t rank = 0, std::uint64_t world_size = 1) const {
    return {
        .order = order, .shuffle_buffer = 10, .seed = 3, .batch_size = kBatch, .rank = rank, .world_size = world_size};
  }
  [[nodiscard]] ShardDataset Dataset(const EpochOptions& epochs) const {
    return {client_, Object("train/"), NumberIn, epochs, kDirect};
  }
};

class IndexedShardsTest : public ShardDatasetTest, public ::testing::WithParamInterface<SampleOrder> {
 protected:
  IndexedShardsTest() { MakeIndexes(); }
};

TEST_P(IndexedShardsTest, GivesEachSampleOncePerEpoch) {
  const auto dataset = Dataset(Options(GetParam()));
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<int> numbers;
    for (auto& batch : dataset.Epoch()) AddTo(numbers, batch.samples);
    EXPECT_EQ(Sorted(numbers), All());
    EXPECT_EQ(numbers == All(), GetParam() == SampleOrder::kByName);
  }
}

TEST_P(IndexedShardsTest, SplitsSamplesOverRanksAndResumesOnOthers) {
  std::vector<int> numbers;
  std::optional<Cursor> cursor;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    for (auto& batch : Dataset(Options(GetParam(), rank, 3)).Epoch()) {
      AddTo(numbers, batch.samples);
      cursor = batch.cursor;
      break;
    }
  }
  EXPECT_EQ(cursor->consumed, 3 * kBatch);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    const auto dataset = Dataset(Options(GetParam(), rank, 2));
    for (auto& batch : dataset.Epoch(ValueOrThrow(ParseCursor(FormatCursor(*cursor))))) AddTo(numbers, batch.samples);
  }
  EXPECT_EQ(Sorted(numbers), All());
}

INSTANTIATE_TEST_SUITE_P(Orders, IndexedShardsTest,
                         ::testing::Values(SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered));

TEST_F(ShardDatasetTest, OfIndexedShardsServesMapDatasets) {
  MakeIndexes();
  const auto dataset = MapDataset::OfShards(client_, Object("train/{0..4}.tar"), NumberIn, kDirect);
  EXPECT_EQ(*dataset.size(), static_cast<std::size_t>(kSamples));
  EXPECT_EQ(dataset.objects()[13].name, "train/1.tar/d/13");
  auto loader = MakeDataLoader(dataset, {.seed = 7, .batch_size = kBatch});
  std::vector<int> numbers;
  for (auto& batch : loader) {
    for (std::int64_t i = 0; i < batch.data.size(0); ++i) numbers.push_back(batch.data[i].item<int>());
  }
  EXPECT_EQ(Sorted(numbers), All());
  EXPECT_NE(numbers, All());
}

TEST_F(ShardDatasetTest, JoinsNeighbouringSamplesIntoOneRead) {
  MakeIndexes();
  const auto dataset = Dataset(Options(SampleOrder::kByName));
  const auto before = client_.counters();
  std::vector<int> numbers;
  for (auto& batch : dataset.Epoch()) AddTo(numbers, batch.samples);
  EXPECT_EQ(numbers, All());
  // One for each shard, and what is fetched of the next epoch.
  EXPECT_LE((client_.counters() - before).requests, 3U * kShards);
}

TEST_F(ShardDatasetTest, RefusesAShardThatChangedSinceItWasIndexed) {
  MakeIndexes();
  const auto opened = Dataset(Options(SampleOrder::kByName));
  Put(NameOf(2), ShardOf(2));
  const Error stale = ThrownBy([&] { static_cast<void>(Dataset(Options(SampleOrder::kByName))); });
  EXPECT_EQ(stale.code, ErrorCode::kStale);
  EXPECT_THAT(stale.message, HasSubstr(NameOf(2)));
  EXPECT_EQ(ThrownBy([&] {
              for (auto& batch : opened.Epoch()) static_cast<void>(batch);
            }).code,
            ErrorCode::kNotFound);
  MakeIndexes();
  EXPECT_EQ(ValueOrThrow(IndexShards(client_, Object("train/"))).kept, static_cast<std::uint64_t>(kShards));
  static_cast<void>(Dataset(Options(SampleOrder::kByName)));
}

TEST_F(ShardDatasetTest, NeedsAnIndexForMapDatasets) {
  const Error error = ThrownBy([&] { MapDataset::OfShards(client_, Object("train/"), NumberIn, kDirect); });
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("gcsflux shards index"));
}

TEST_F(ShardDatasetTest, ReadsListsOfWids) {
  MakeIndexes();
  Put("lists/a.json", R"({"__kind__": "wids-shard-index-v1", "wids_version": 1,
      "shardlist": [{"url": "../x.tar", "nsamples": 1}]})");
  EXPECT_EQ(ThrownBy([&] { MapDataset::OfShards(client_, Object("lists/a.json"), NumberIn, kDirect); }).code,
            ErrorCode::kNotFound);
  Put("train/index.json", R"({"__kind__": "wids-shard-index-v1", "wids_version": 1, "shardlist": [
      {"url": "3.tar", "nsamples": 12}, {"url": "gs://torch-test/train/1.tar", "nsamples": 12}]})");
  const auto dataset = MapDataset::OfShards(client_, Object("train/index.json"), NumberIn, kDirect);
  EXPECT_EQ(*dataset.size(), 24U);
  EXPECT_EQ(dataset.objects().front().name, "train/3.tar/d/36");
}

TEST_F(ShardDatasetTest, NamesTheSampleThatATransformRefuses) {
  MakeIndexes();
  const auto refuses = [](const ShardSample& sample) -> Example<> {
    if (sample.key() == "d/20") ValueOrThrow(sample.Member("jpg"));
    return NumberIn(sample);
  };
  const ShardDataset dataset(client_, Object("train/"), refuses, Options(SampleOrder::kByName), kDirect);
  const Error error = ThrownBy([&] {
    for (auto& batch : dataset.Epoch()) static_cast<void>(batch);
  });
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, HasSubstr("train/1.tar: sample 'd/20' has no member 'jpg'"));
}

TEST_F(ShardDatasetTest, NoticesWrongBytesOfASample) {
  MakeIndexes();
  // The index of other bytes of the same generation: as if the service gave wrong ones.
  for (auto& object : ValueOrThrow(ListPrefix(client_, Object("train/1.tar"))).objects) {
    if (!object.name.ends_with(".index")) continue;
    const std::string bytes = ValueOrThrow(client_.ReadObject(Object(object.name)));
    std::string changed = bytes.substr(0, bytes.size() - 4);
    changed.back() = static_cast<char>(changed.back() ^ 1);  // The last sample's checksum.
    const std::uint32_t seal = Crc32cOf(testing::BytesOf(changed));
    for (int shift = 0; shift < 32; shift += 8) changed += static_cast<char>(seal >> shift);
    Put(object.name, changed);
  }
  auto options = kDirect;
  const ShardDataset strict(client_, Object("train/"), NumberIn, Options(SampleOrder::kByName), options);
  EXPECT_EQ(ThrownBy([&] {
              for (auto& batch : strict.Epoch()) static_cast<void>(batch);
            }).code,
            ErrorCode::kCorrupted);
  options.max_skipped = 1;
  const ShardDataset skipping(client_, Object("train/"), NumberIn, Options(SampleOrder::kByName), options);
  std::size_t samples = 0;
  for (auto& batch : skipping.Epoch()) samples += batch.samples.size();
  EXPECT_EQ(samples, static_cast<std::size_t>(kSamples - 1));
  EXPECT_THAT(skipping.report().skipped_objects.front().name, HasSubstr("train/1.tar/d/23"));
}

}  // namespace
}  // namespace gcsflux
