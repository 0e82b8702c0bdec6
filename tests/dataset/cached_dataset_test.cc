// Datasets with a disk cache: the same samples, from the disk as far as it has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include "dataset/dataset_fixture.h"
#include "gcsflux/shards.h"
#include "shards/tar_archives.h"
#include "support/recorded_events.h"
#include "support/test_directory.h"

namespace gcsflux::testing {
namespace {

using internal::DatasetCore;
using ::testing::HasSubstr;

constexpr std::uint64_t kEpochs = 3;

class CachedDatasetTest : public DatasetTest {
 protected:
  CachedDatasetTest() {
    options_.cache = {.directory = directory()};
    options_.fetch_across_epochs = false;
  }

  // Without hedges, so that reads can be counted.
  [[nodiscard]] std::unique_ptr<DatasetCore> Cached() const {
    return CoreOf(MakeClient({.hedge_budget = 0}), /*is_live=*/false);
  }
  [[nodiscard]] std::string directory() const { return temporary_.path() / "cache"; }
  [[nodiscard]] std::vector<std::filesystem::path> Entries() const {
    std::vector<std::filesystem::path> entries;
    for (const auto& file : std::filesystem::directory_iterator(directory())) {
      if (file.path().filename() != "gcsflux-cache") entries.push_back(file.path());
    }
    return entries;
  }
  // The last byte of every entry.
  void Damage() const {
    for (const auto& entry : Entries()) {
      std::fstream stream(entry, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(-1, std::ios::end);
      const char flipped = static_cast<char>(stream.get() ^ 1);
      stream.seekp(-1, std::ios::end);
      stream.put(flipped);
    }
  }
  static EpochOptions How(std::uint64_t batch = 4) { return {.seed = 5, .batch_size = batch}; }
  void ExpectEpoch(const DatasetCore& core, std::uint64_t epoch, int workers = 2) const {
    EXPECT_EQ(Sorted(Epoch(core, How(), epoch, workers)), All()) << "epoch " << epoch;
  }

  TestDirectory temporary_;
};

TEST_F(CachedDatasetTest, ReadsEachObjectOnce) {
  Put(40, 3000);
  const auto core = Cached();
  ExpectEpoch(*core, 0);
  const std::size_t reads = Reads();
  for (std::uint64_t epoch = 1; epoch < kEpochs; ++epoch) ExpectEpoch(*core, epoch);
  EXPECT_EQ(Reads(), reads);
  const CacheReport report = core->report({}).cache;
  EXPECT_EQ(report.hits, 80U);
  EXPECT_EQ(report.hit_bytes, 80U * 3000);
  EXPECT_EQ(report.misses, 40U);
  EXPECT_EQ(report.stored, 40U);
  EXPECT_EQ(report.error, "");
  EXPECT_THAT(FormatReport(core->report({})), HasSubstr("cache       80 hits of 234.4 KiB, 40 not there, 40 of"));
}

TEST_F(CachedDatasetTest, ReadsWhatAnotherJobKept) {
  Put(40);
  ExpectEpoch(*Cached(), 0);
  const std::size_t reads = Reads();
  ExpectEpoch(*Cached(), 1);
  EXPECT_EQ(Reads(), reads);
}

TEST_F(CachedDatasetTest, FetchesAChangedObject) {
  Put(10);
  ExpectEpoch(*Cached(), 0);
  ASSERT_TRUE(MakeClient({.hedge_budget = 0}).InsertObject({"bkt", All().front()}, AsBytes(All().front())).ok());
  const auto core = Cached();
  ExpectEpoch(*core, 0);
  EXPECT_EQ(core->report({}).cache.hits, 9U);
  EXPECT_EQ(core->report({}).cache.misses, 1U);
}

TEST_F(CachedDatasetTest, FetchesAgainWhatIsDamaged) {
  Put(40, 3000);
  const auto core = Cached();
  ExpectEpoch(*core, 0);
  Damage();
  ExpectEpoch(*core, 1);
  EXPECT_EQ(core->report({}).cache.damaged, 40U);
  const std::size_t reads = Reads();
  EXPECT_GE(reads, 80U);
  ExpectEpoch(*core, 2);
  EXPECT_EQ(Reads(), reads);
}

TEST_F(CachedDatasetTest, ReadsObjectsInRanges) {
  options_.download.range_bytes = 1000;
  Put(10, 5500);
  const auto core = Cached();
  ExpectEpoch(*core, 0);
  const std::size_t reads = Reads();
  EXPECT_GE(reads, 60U);
  for (std::uint64_t epoch = 1; epoch < kEpochs; ++epoch) ExpectEpoch(*core, epoch);
  EXPECT_EQ(Reads(), reads);
  EXPECT_EQ(core->report({}).cache.stored, 10U);
}

TEST_F(CachedDatasetTest, ComposesOnlyWhatItDoesNotHave) {
  Put(40);
  std::filesystem::remove_all(directory());
  ExpectEpoch(*Cached(), 0);
  const auto entries = Entries();
  for (std::size_t i = 0; i < entries.size(); i += 2) std::filesystem::remove(entries[i]);
  options_.download.composition = CompositionMode::kOn;
  const auto core = Cached();
  ExpectEpoch(*core, 1);
  EXPECT_EQ(core->report({}).cache.hits, 20U);
  EXPECT_GE(core->report({}).composition.composites, 1U);
  EXPECT_LE(core->report({}).composition.composed_objects, 20U);
  ExpectEpoch(*core, 2);
  EXPECT_EQ(core->report({}).cache.hits, 60U);
}

TEST_F(CachedDatasetTest, GivesEachSampleOnceUnderFaultsWithATooSmallDisk) {
  options_.cache->max_bytes = 100'000;
  Put(40, 3000);
  std::mt19937 random(7);
  std::map<std::string, std::uint64_t> disturbances;
  for (int round = 0; round < 8; ++round) {
    Disturb(random());
    const auto core = Cached();
    for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
      ExpectEpoch(*core, epoch, 1 + round % 4);
      if (round % 2 == 0) Damage();
    }
    if (round % 2 == 1) {
      EXPECT_GT(core->report({}).cache.hits, 0U);
    }
    EXPECT_EQ(core->report({}).cache.error, "");
    for (const auto& [fault, fired] : Disturbances()) disturbances[fault] += fired;
  }
  for (const auto& [fault, fired] : disturbances) EXPECT_GT(fired, 0U) << fault;
}

TEST_F(CachedDatasetTest, ResumesAfterAnyBatch) {
  Put(60);
  std::mt19937 random(11);
  for (int round = 0; round < 10; ++round) {
    EpochOptions how{.order = static_cast<SampleOrder>(round % 3), .shuffle_buffer = 9, .seed = 5, .batch_size = 4};
    Texts used;
    Cursor cursor = Beginning(how);
    while (cursor.epoch == 0) {
      const auto core = Core(how.order != SampleOrder::kShuffled);
      cursor = Use(*core, how, {.cursor = cursor}, 1 + random() % 8, used);
      if (round % 2 == 0) Damage();
    }
    EXPECT_EQ(Sorted(used), All()) << "round " << round;
  }
}

TEST_F(CachedDatasetTest, WorksWithoutADiskThatCannotBeUsed) {
  Put(20);
  std::ofstream(directory()) << "a file";
  const auto core = Cached();
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) ExpectEpoch(*core, epoch);
  EXPECT_GE(Reads(), kEpochs * 20);
  EXPECT_THAT(core->report({}).cache.error, HasSubstr("is none, or a symbolic link"));
  EXPECT_THAT(FormatReport(core->report({})), HasSubstr("cache       keeps nothing: "));
}

TEST_F(CachedDatasetTest, ReportsADiskThatCannotBeUsedOnce) {
  Put(20);
  std::ofstream(directory()) << "a file";
  const auto listener = std::make_shared<RecordedEvents>();
  const auto core = CoreOf(MakeClient({.event_listener = listener}), /*is_live=*/false);
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) ExpectEpoch(*core, epoch);
  ASSERT_EQ(listener->unusable_caches.size(), 1U);
  EXPECT_EQ(listener->unusable_caches.front().first, directory());
  EXPECT_EQ(listener->unusable_caches.front().second, core->report({}).cache.error);
}

TEST_F(CachedDatasetTest, KeepsNothingLargerThanItsBound) {
  options_.cache->max_bytes = 4096;
  Put(5, 5000);
  const auto core = Cached();
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) ExpectEpoch(*core, epoch);
  EXPECT_GE(Reads(), kEpochs * 5);
  EXPECT_TRUE(Entries().empty());
}

TEST_F(CachedDatasetTest, KeepsNothingUnderACustomerSuppliedKey) {
  options_.download.encryption_key = *EncryptionKey::FromBytes(AsBytes(std::string(32, 'k')));
  const auto core = Cached();
  EXPECT_FALSE(std::filesystem::exists(directory()));
}

TEST_F(CachedDatasetTest, IsUsedByAChildProcess) {
  Put(30);
  const auto core = Cached();
  ExpectEpoch(*core, 0);
  const std::size_t reads = Reads();
  const pid_t child = ::fork();
  if (child == 0) {
    const Texts all = Sorted(Epoch(*core, How(), 1, 1));
    ::_exit(all == All() && core->report({}).cache.hits == 30 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ExpectEpoch(*core, 1);
  EXPECT_EQ(Reads(), reads);
}

// Parts of an object: samples of an indexed shard.
TEST_F(CachedDatasetTest, ReadsPartsOfAnObjectOnceInAnyOrder) {
  const Client client = MakeClient({.hedge_budget = 0});
  std::string tar;
  std::vector<ListedObject> samples;
  std::vector<std::uint64_t> offsets;
  Texts keys;
  for (int i = 100; i < 140; ++i) {
    keys.push_back("o-" + std::to_string(i));
    const std::string text = keys.back() + std::string(2000, 'x');
    offsets.push_back(tar.size());
    samples.push_back({.name = keys.back(), .size = text.size(), .crc32c = Crc32cOf(AsBytes(text))});
    tar += text;
  }
  const auto stored = client.InsertObject({"bkt", "tar"}, AsBytes(tar));
  ASSERT_TRUE(stored.ok());
  DatasetCore::Settings settings{.prefix = {"bkt", "tar"}, .objects = samples};
  settings.source_of = [offsets, generation = stored->generation](std::size_t sample, const ListedObject& listed) {
    return DownloadSource{{"bkt", "tar"}, listed.size, generation, listed.crc32c, {}, offsets[sample]};
  };
  settings.work = {.make = [](std::size_t count) { return std::make_shared<Texts>(count); },
                   .decode = [](void* batch, std::size_t place, const ListedObject& object, DownloadedObject& bytes,
                                const SampleContext&) -> internal::DecodedSample {
                     EXPECT_EQ(std::memcmp(bytes.bytes.data(), object.name.data(), object.name.size()), 0);
                     (*static_cast<Texts*>(batch))[place] = object.name;
                     return {.bytes = kDecodedBytes};
                   }};
  const DatasetCore core(client, std::move(settings), options_);
  EXPECT_EQ(Sorted(Epoch(core, {.order = SampleOrder::kByName, .batch_size = 10}, 0, 1)), keys);
  const std::size_t reads = Reads();
  EXPECT_LT(reads, 40U) << "neighbours are read together";
  for (std::uint64_t epoch = 1; epoch < kEpochs; ++epoch) EXPECT_EQ(Sorted(Epoch(core, How(), epoch, 2)), keys);
  EXPECT_EQ(Reads(), reads);
  // If some are gone, only those are read.
  const auto entries = Entries();
  for (std::size_t i = 0; i < entries.size(); i += 8) std::filesystem::remove(entries[i]);
  EXPECT_EQ(Sorted(Epoch(core, {.order = SampleOrder::kByName, .batch_size = 10}, 3, 1)), keys);
  EXPECT_EQ(core.report({}).cache.misses, 45U);
}

// Shards without an index, which are read from front to back.
class CachedShardsTest : public CachedDatasetTest {
 protected:
  CachedShardsTest() {
    const Client client = MakeClient({.hedge_budget = 0});
    int number = 100;
    for (int shard = 0; shard < kShards; ++shard) {
      std::vector<TarFile> files;
      for (int i = 0; i < 9; ++i) {
        keys_.push_back(std::to_string(number++));
        files.push_back({keys_.back() + ".txt", keys_.back()});
        files.push_back({keys_.back() + ".bin", std::string(200'000, static_cast<char>('a' + number % 26))});
      }
      const std::string tar = TarOf(files);
      EXPECT_TRUE(client.InsertObject({"bkt", "s/" + std::to_string(shard) + ".tar"}, BytesOf(tar)).ok());
    }
  }

  [[nodiscard]] std::unique_ptr<DatasetCore> Shards() const {
    const Client client = MakeClient({.hedge_budget = 0});
    auto shards = ListInParallel(client, {"bkt", "s/"}, {.max_concurrency = 2})->objects;
    internal::SampleWork work{
        .make = [](std::size_t samples) { return std::make_shared<Texts>(samples); },
        .decode = [](void* batch, std::size_t place, const ListedObject& object, DownloadedObject& downloaded,
                     const SampleContext&) -> internal::DecodedSample {
          const auto sample = internal::SampleIn(object, downloaded.bytes);
          if (!sample) return {.exception = std::make_exception_ptr(std::runtime_error(sample.error().message))};
          const auto text = sample->Member("txt");
          (*static_cast<Texts*>(batch))[place].assign(reinterpret_cast<const char*>(text->data()), text->size());
          return {.bytes = kDecodedBytes};
        }};
    return std::make_unique<DatasetCore>(
        client,
        DatasetCore::Settings{.prefix = {"bkt", "s/"},
                              .work = std::move(work),
                              .scanned = std::make_shared<const std::vector<ListedObject>>(std::move(shards))},
        options_);
  }

  static constexpr int kShards = 4;
  Texts keys_ = {};
};

TEST_F(CachedShardsTest, AreReadOnce) {
  const auto core = Shards();
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    EXPECT_EQ(Sorted(Epoch(*core, {.shuffle_buffer = 5, .batch_size = 4}, epoch, 1)), keys_);
  }
  const CacheReport report = core->report({}).cache;
  EXPECT_EQ(report.stored, 4U);
  EXPECT_EQ(report.hits, 8U);
  EXPECT_EQ(report.misses, 4U);
  const std::size_t reads = Reads();
  EXPECT_EQ(Sorted(Epoch(*Shards(), {.shuffle_buffer = 5, .batch_size = 4}, 7, 2)), keys_);
  EXPECT_EQ(Reads(), reads);
}

TEST_F(CachedShardsTest, AreFetchedFromTheFirstWrongByteOn) {
  const auto core = Shards();
  EXPECT_EQ(Sorted(Epoch(*core, {.shuffle_buffer = 5, .batch_size = 4}, 0, 1)), keys_);
  Damage();
  EXPECT_EQ(Sorted(Epoch(*core, {.shuffle_buffer = 5, .batch_size = 4}, 1, 1)), keys_);
  EXPECT_EQ(core->report({}).cache.damaged, 4U);
  EXPECT_TRUE(Entries().empty());  // Only what comes from the service as a whole is kept.
  EXPECT_EQ(Sorted(Epoch(*core, {.shuffle_buffer = 5, .batch_size = 4}, 2, 1)), keys_);
  EXPECT_EQ(Entries().size(), 4U);
}

}  // namespace
}  // namespace gcsflux::testing
