#include "gcsflux/torch/shard_dataset.h"

#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>
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
  Put("train/index.json", R"({"__kind__": "wids-shard-index-v1", "shardlist": [{"url": "3.tar", "nsamples": 11}]})");
  const Error stale = ThrownBy([&] { MapDataset::OfShards(client_, Object("train/index.json"), NumberIn, kDirect); });
  EXPECT_EQ(stale.code, ErrorCode::kStale);
  EXPECT_THAT(stale.message, HasSubstr("train/3.tar: it has 12 samples, and its list says 11; make the list again"));
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

// Without indexes: shards are read from front to back.
class ScannedShardsTest : public ShardDatasetTest, public ::testing::WithParamInterface<SampleOrder> {
 protected:
  static std::vector<int> Rest(const ShardDataset& dataset, const std::optional<Cursor>& cursor = {}) {
    std::vector<int> numbers;
    for (auto& batch : dataset.Epoch(cursor)) AddTo(numbers, batch.samples);
    return numbers;
  }
};

TEST_P(ScannedShardsTest, GiveEachSampleOncePerEpoch) {
  const auto dataset = Dataset(Options(GetParam()));
  std::vector<std::vector<int>> epochs;
  for (int epoch = 0; epoch < 3; ++epoch) {
    epochs.push_back(Rest(dataset));
    EXPECT_EQ(Sorted(epochs.back()), All());
    EXPECT_EQ(epochs.back() == All(), GetParam() == SampleOrder::kByName);
  }
  EXPECT_EQ(epochs[0] == epochs[1], GetParam() == SampleOrder::kByName);
  EXPECT_EQ(Rest(Dataset(Options(GetParam()))), epochs[0]);
  EXPECT_EQ(dataset.cursor().epoch, 3U);
  EXPECT_EQ(dataset.report().samples, 3U * kSamples);
}

TEST_P(ScannedShardsTest, ResumeAtTheSample) {
  const std::vector<int> whole = Rest(Dataset(Options(GetParam())));
  const std::vector<int> second = [&] {
    const auto dataset = Dataset(Options(GetParam()));
    Rest(dataset);
    return Rest(dataset);
  }();
  for (std::size_t left_after = 1; left_after <= 9; ++left_after) {
    std::vector<int> numbers;
    std::optional<Cursor> cursor;
    std::size_t batches = 0;
    for (auto& batch : Dataset(Options(GetParam())).Epoch()) {
      AddTo(numbers, batch.samples);
      cursor = ValueOrThrow(ParseCursor(FormatCursor(batch.cursor)));
      EXPECT_EQ(*cursor, batch.cursor);
      if (++batches == left_after) break;
    }
    const auto resumed = Dataset(Options(GetParam()));
    const auto rest = Rest(resumed, cursor);
    if (left_after == 9) {  // At the epoch's end.
      EXPECT_EQ(rest, second);
      continue;
    }
    numbers.insert(numbers.end(), rest.begin(), rest.end());
    EXPECT_EQ(numbers, whole) << "left after " << left_after << " batches";
    EXPECT_EQ(Rest(resumed), second);
  }
}

TEST_P(ScannedShardsTest, ContinueAfterALoopThatEndedEarly) {
  const auto dataset = Dataset(Options(GetParam()));
  std::vector<int> numbers;
  for (int loops = 0; loops < 20 && dataset.cursor().epoch == 0; ++loops) {
    for (auto& batch : dataset.Epoch()) {
      AddTo(numbers, batch.samples);
      break;
    }
  }
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(ScannedShardsTest, AreSplitOverRanksWhichResumeAlone) {
  std::vector<int> numbers;
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    std::optional<Cursor> cursor;
    for (auto& batch : Dataset(Options(GetParam(), rank, 3)).Epoch()) {
      AddTo(numbers, batch.samples);
      cursor = batch.cursor;
      break;
    }
    const Error other = ThrownBy([&] { Rest(Dataset(Options(GetParam(), rank, 4)), cursor); });
    EXPECT_EQ(other.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(other.message, HasSubstr("the cursor is of rank " + std::to_string(rank) + " of 3"));
    const auto rest = Rest(Dataset(Options(GetParam(), rank, 3)), cursor);
    numbers.insert(numbers.end(), rest.begin(), rest.end());
  }
  EXPECT_EQ(Sorted(numbers), All());
}

TEST_P(ScannedShardsTest, ReadEachShardOnceAnEpoch) {
  auto options = Options(GetParam());
  options.epochs = 1;
  const auto dataset = Dataset(options);
  const auto before = client_.counters();
  Rest(dataset);
  EXPECT_EQ((client_.counters() - before).requests, static_cast<std::uint64_t>(kShards));
}

TEST_P(ScannedShardsTest, SurviveFailingReads) {
  constexpr const char* kRead = "storage.objects.get";
  const emulator::FaultMatch some{.operation = kRead, .probability = 0.3};
  emulator_.faults().Load({.seed = 5,
                           .rules = {{.name = "fails", .match = some, .action = {.type = "status", .status = 503}},
                                     {.name = "cut", .match = some, .action = {.type = "cut", .after_bytes = 700}}}});
  const Client client = ValueOrThrow(
      Client::Create({.endpoint = emulator_.endpoint(),
                      .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .budget = 1})}));
  const ShardDataset dataset(client, Object("train/"), NumberIn, Options(GetParam()), kDirect);
  for (int epoch = 0; epoch < 5; ++epoch) EXPECT_EQ(Sorted(Rest(dataset)), All());
  EXPECT_GE(emulator_.faults().Fired("fails"), 1U);
  EXPECT_GE(emulator_.faults().Fired("cut"), 1U);
}

TEST_P(ScannedShardsTest, ServeADataLoader) {
  auto dataset = Dataset(Options(GetParam()));
  auto loader = torch::data::make_data_loader(dataset, torch::data::DataLoaderOptions(kBatch).workers(2));
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<int> numbers;
    for (auto& batch : *loader) {
      AddTo(numbers, batch);
      dataset.BatchConsumed();
    }
    EXPECT_EQ(Sorted(numbers), All());
  }
  EXPECT_EQ(dataset.consumed().epoch, 2U);
}

INSTANTIATE_TEST_SUITE_P(Orders, ScannedShardsTest,
                         ::testing::Values(SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered));

TEST_F(ShardDatasetTest, DropsOrPadsTheUnevenRestOfARank) {
  auto options = Options(SampleOrder::kBuffered);
  for (const EpochTail tail : {EpochTail::kDrop, EpochTail::kPad}) {
    options.tail = tail;
    const auto dataset = Dataset(options);
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::size_t batches = 0;
      std::vector<int> numbers;
      for (auto& batch : dataset.Epoch()) {
        EXPECT_EQ(batch.samples.size(), kBatch);
        AddTo(numbers, batch.samples);
        ++batches;
      }
      EXPECT_EQ(batches, tail == EpochTail::kDrop ? 8U : 9U);
      const std::vector<int> sorted = Sorted(numbers);
      const std::set<int> different(sorted.begin(), sorted.end());
      EXPECT_EQ(different.size(), tail == EpochTail::kDrop ? 56U : 60U);
    }
  }
  options.tail = EpochTail::kDrop;
  options.batch_size = 61;
  const auto dataset = Dataset(options);
  EXPECT_THAT(ThrownBy([&] {
                for (auto& batch : dataset.Epoch()) static_cast<void>(batch);
              }).message,
              HasSubstr("fill no batch"));
}

TEST_F(ShardDatasetTest, WithoutIndexRefusesWhatNeedsAllSamples) {
  EXPECT_THAT(ThrownBy([&] { static_cast<void>(Dataset(Options(SampleOrder::kByName, 0, kShards + 1))); }).message,
              HasSubstr("5 shards are too few for 6 ranks"));
  auto given = Options(SampleOrder::kGiven);
  given.given = GivenOrder({1, 2});
  EXPECT_EQ(ThrownBy([&] { static_cast<void>(Dataset(given)); }).code, ErrorCode::kInvalidArgument);
}

TEST_F(ShardDatasetTest, RefusesACursorOfIndexedSamplesForShardsWithoutIndex) {
  const auto scanned = Dataset(Options(SampleOrder::kByName));
  std::optional<Cursor> cursor;
  for (auto& batch : scanned.Epoch()) {
    cursor = batch.cursor;
    break;
  }
  MakeIndexes();
  const auto indexed = Dataset(Options(SampleOrder::kByName));
  EXPECT_EQ(ThrownBy([&] { static_cast<void>(indexed.Epoch(cursor)); }).code, ErrorCode::kInvalidArgument);
}

TEST_F(ShardDatasetTest, NamesTheShardThatIsDamaged) {
  const auto error_with = [&](const std::string& bytes) {
    Put(NameOf(2), bytes);
    const auto dataset = Dataset(Options(SampleOrder::kByName));
    return ThrownBy([&] {
      for (auto& batch : dataset.Epoch()) static_cast<void>(batch);
    });
  };
  struct Bad {
    const char* name;
    std::string bytes;
    const char* message;
  };
  std::string split = ShardOf(2);
  split = testing::TarFileOf({"d/23.jpg", "x"}) + split;
  const Bad kCases[] = {{"cut", ShardOf(2).substr(0, 3000), "was cut off"},
                        {"cut between members", ShardOf(2).substr(0, 4096), "has no end"},
                        {"gzip", "\x1f\x8b" + std::string(600, 'x'), "compressed (gzip)"},
                        {"empty", "", "has no"},
                        {"split", split, "it was split"}};
  for (const Bad& bad : kCases) {
    const Error error = error_with(bad.bytes);
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << bad.name;
    EXPECT_THAT(error.message, HasSubstr("gs://torch-test/" + NameOf(2))) << bad.name;
    EXPECT_THAT(error.message, HasSubstr(bad.message)) << bad.name;
  }
}

TEST_F(ShardDatasetTest, EndsWhenAShardChangesMeanwhile) {
  const auto dataset = Dataset(Options(SampleOrder::kByName));
  Put(NameOf(3), ShardOf(3));
  EXPECT_EQ(ThrownBy([&] {
              for (auto& batch : dataset.Epoch()) static_cast<void>(batch);
            }).code,
            ErrorCode::kAborted);
}

TEST_F(ShardDatasetTest, ReadsShardsThatAreLargerThanTheBudget) {
  const Client client =
      ValueOrThrow(Client::Create({.endpoint = emulator_.endpoint(), .max_undelivered_bytes = 300'000}));
  std::vector<testing::TarFile> files;
  for (int i = 0; i < 40; ++i) files.push_back({std::to_string(100 + i) + ".bin", std::string(100'000, 'x')});
  Put("large/0.tar", testing::TarOf(files));
  const auto size = [](const ShardSample& sample) -> Example<> {
    return {torch::tensor(static_cast<int>(ValueOrThrow(sample.Member("bin")).size())), torch::tensor(0)};
  };
  const ShardDataset dataset(client, Object("large/"), size, Options(SampleOrder::kBuffered), kDirect);
  for (int epoch = 0; epoch < 2; ++epoch) {
    int samples = 0;
    for (auto& batch : dataset.Epoch()) samples += static_cast<int>(batch.samples.size());
    EXPECT_EQ(samples, 40);
  }
}

}  // namespace
}  // namespace gcsflux
