// Batches of objects, into one block and into the caller's memory, against the emulator.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/download.h"
#include "support/fails_with.h"
#include "support/gzip.h"
#include "support/result.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using testing::TextOf;

class DownloadsTest : public testing::StoredObjects {
 protected:
  // A batch of one that must fail.
  Error FailureOf(const DownloadSource& source, const DownloaderOptions& options = {}) {
    const auto batch = Downloader(client_, options).Download(std::span(&source, 1));
    EXPECT_FALSE(batch.ok());
    return batch ? Error{} : batch.error();
  }
};

TEST_F(DownloadsTest, DeliversABatchAsOneBlockInOrder) {
  auto sources = Store({0, 1, 500'000, 100'000, 100'001, 0, 70'000, 2'345'678});
  std::vector<std::size_t> order(sources.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(1);
  const Downloader downloader(client_, {.max_concurrency = 4, .range_bytes = 100'000});
  for (int round = 0; round < 5; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<DownloadSource> wanted;
    wanted.reserve(order.size());
    for (const std::size_t i : order) wanted.push_back(sources[i]);
    const auto batch = downloader.Download(wanted);
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    const std::byte* next = batch->front().memory.get();
    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_TRUE(TextOf((*batch)[i].bytes) == contents_[order[i]]);
      EXPECT_EQ((*batch)[i].bytes.data(), next);
      next += (*batch)[i].bytes.size();
    }
  }
}

TEST_F(DownloadsTest, WritesIntoTheCallersMemory) {
  const auto sources = Store({70'000, 0, 300'000});
  std::string memory(400'000, '-');
  const auto bytes = std::as_writable_bytes(std::span(memory));
  const std::vector<std::span<std::byte>> places = {bytes.subspan(10, 70'000), bytes.first(0),
                                                    bytes.subspan(80'000, 300'000)};
  const auto batch = Downloader(client_, {.range_bytes = 50'000}).Download(sources, places);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_EQ(batch->front().memory, nullptr);
  const std::string want = std::string(10, '-') + contents_[0] + std::string(9'990, '-') + contents_[2];
  EXPECT_TRUE(memory == want + std::string(400'000 - want.size(), '-'));
}

TEST_F(DownloadsTest, RefusesMemoryOfAnotherSize) {
  const auto sources = Store({5});
  std::string memory(6, '-');
  const std::vector places = {std::as_writable_bytes(std::span(memory))};
  const Downloader downloader(client_);
  const auto other_size = downloader.Download(sources, places);
  EXPECT_TRUE(
      testing::FailsWith(other_size, ErrorCode::kInvalidArgument, HasSubstr("of 6 bytes for gs://bkt/object 0")));
  const auto other_number = downloader.Download({}, places);
  ASSERT_FALSE(other_number.ok());
  EXPECT_THAT(other_number.error().message, HasSubstr("1 destinations for 0 objects"));
  const std::vector nowhere = {std::span<std::byte>(static_cast<std::byte*>(nullptr), 5)};
  EXPECT_EQ(testing::ErrorOf(downloader.Download(sources, nowhere)).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Reads(), 0U);
}

TEST_F(DownloadsTest, AcceptsAnEmptyBatch) {
  const Downloader downloader(client_);
  EXPECT_EQ(downloader.Download({})->size(), 0U);
  const auto empty = downloader.Download(Store({0, 0}));
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_EQ(empty->size(), 2U);
  EXPECT_TRUE((*empty)[1].bytes.empty());
}

TEST_F(DownloadsTest, AcceptsAnObjectTwice) {
  const auto sources = Store({200'000, 10});
  const std::vector<DownloadSource> wanted = {sources[0], sources[1], sources[0], sources[0]};
  const auto batch = Downloader(client_, {.range_bytes = 60'000}).Download(wanted);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  for (const std::size_t i : {0, 2, 3}) EXPECT_TRUE(TextOf((*batch)[i].bytes) == contents_[0]);
  EXPECT_NE((*batch)[0].bytes.data(), (*batch)[2].bytes.data());
}

TEST_F(DownloadsTest, ReadsLargeObjectsInStripes) {
  const auto sources = Store({1'000, 1'001, 2'500});
  ASSERT_TRUE(Downloader(client_, {.range_bytes = 1'000}).Download(sources).ok());
  EXPECT_EQ(Reads(), 1U + 2U + 3U);
}

TEST_F(DownloadsTest, FailsAllOrOnlyTheFailedObject) {
  const auto sources = Store({10, 20, 200'000, 30});
  ASSERT_TRUE(client_.DeleteObject({kBucket, "object 1"}).ok());
  ASSERT_TRUE(client_.DeleteObject({kBucket, "object 2"}).ok());
  EXPECT_TRUE(testing::FailsWith(Downloader(client_, {.max_concurrency = 1}).Download(sources), ErrorCode::kNotFound,
                                 HasSubstr("gs://bkt/object 1")));

  const Downloader delivers(client_, {.range_bytes = 70'000, .delivers_failures = true});
  const auto batch = delivers.Download(sources);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  ASSERT_EQ(batch->size(), 4U);
  for (const std::size_t i : {0, 3}) {
    EXPECT_TRUE(TextOf((*batch)[i].bytes) == contents_[i]);
    EXPECT_FALSE((*batch)[i].error.has_value());
  }
  for (const std::size_t i : {1, 2}) {
    EXPECT_TRUE((*batch)[i].bytes.empty());
    ASSERT_TRUE((*batch)[i].error.has_value());
    EXPECT_EQ((*batch)[i].error->code, ErrorCode::kNotFound);
    EXPECT_THAT((*batch)[i].error->message, HasSubstr("gs://bkt/object " + std::to_string(i)));
  }
}

TEST_F(DownloadsTest, ReportsFalseSizes) {
  DownloadSource source = Store({100'000}).front();
  for (const std::uint64_t size : {std::uint64_t{99'999}, std::uint64_t{100'001}, std::uint64_t{900'000}}) {
    for (const std::uint64_t range_bytes : {0, 30'000, 70'000}) {
      source.size = size;
      const Error error = FailureOf(source, {.range_bytes = range_bytes});
      EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kCorrupted, HasSubstr("gs://bkt/object 0")));
      EXPECT_THAT(error.message, HasSubstr("listed with " + std::to_string(size)));
    }
  }
}

TEST_F(DownloadsTest, RefusesSizesLargerThanTheMemory) {
  DownloadSource source = Store({1}).front();
  for (const std::uint64_t size : {std::uint64_t{1'000'000'000'000'000'000}, ~std::uint64_t{0}}) {
    source.size = size;
    const Error error = FailureOf(source);
    EXPECT_TRUE(testing::FailsWith(
        error, ErrorCode::kInvalidArgument,
        HasSubstr("no memory for a batch of 1 objects (the largest is gs://bkt/object 0 of " + std::to_string(size))));
    EXPECT_TRUE(testing::FailsWith(Downloader(client_).Stream({source, source}).Next(), ErrorCode::kInvalidArgument,
                                   HasSubstr("no memory for gs://bkt/object 0 of " + std::to_string(size))));
  }
}

TEST_F(DownloadsTest, ReportsAWrongChecksumAsCorrupted) {
  DownloadSource source = Store({100'000}).front();
  source.crc32c = *source.crc32c ^ 1;
  for (const std::uint64_t range_bytes : {0, 30'000}) {
    const Error error = FailureOf(source, {.range_bytes = range_bytes});
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kCorrupted, HasSubstr("gs://bkt/object 0")));
  }
}

TEST_F(DownloadsTest, PinsTheGeneration) {
  DownloadSource source = Store({100'000}).front();
  ASSERT_TRUE(client_.InsertObject(source.object, AsBytes(std::string(100'000, 'x'))).ok());
  for (const std::uint64_t range_bytes : {0, 30'000}) {
    EXPECT_EQ(FailureOf(source, {.range_bytes = range_bytes}).code, ErrorCode::kNotFound);
  }
  source.generation = 0;
  EXPECT_EQ(FailureOf(source).code, ErrorCode::kInvalidArgument);
}

TEST_F(DownloadsTest, DeliversStoredBytes) {
  const std::string compressed = testing::Gzip(testing::RandomBytes(100'000, 1));
  const DownloadSource source = Put(compressed, {.attributes = {.content_encoding = "gzip"}});
  for (const std::uint64_t range_bytes : {0, 30'000}) {
    const auto batch = Downloader(client_, {.range_bytes = range_bytes}).Download(std::span(&source, 1));
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    EXPECT_TRUE(TextOf((*batch)[0].bytes) == compressed);
  }
}

// Only the answers tell their checksums.
TEST_F(DownloadsTest, ReadsEncryptedObjectsWithTheirKey) {
  const std::string key_bytes(32, 'k');
  const EncryptionKey key = *EncryptionKey::FromBytes(AsBytes(key_bytes));
  DownloadSource source = Put(testing::RandomBytes(100'000, 1), {.encryption_key = key});
  source.crc32c.reset();
  EXPECT_EQ(FailureOf(source).code, ErrorCode::kInvalidArgument);
  for (const std::uint64_t range_bytes : {0, 30'000}) {
    const Downloader downloader(client_, {.range_bytes = range_bytes, .encryption_key = key});
    const auto batch = downloader.Download(std::span(&source, 1));
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    EXPECT_TRUE(TextOf((*batch)[0].bytes) == contents_[0]);
  }
}

TEST_F(DownloadsTest, UsesTheAllocatorsMemory) {
  const auto sources = Store({1'000, 0, 500});
  std::string arena(2'000, '-');
  std::size_t asked = 0;
  const Allocator of_arena = [&](std::size_t bytes) {
    asked = bytes;
    return std::shared_ptr<std::byte[]>(reinterpret_cast<std::byte*>(arena.data()), [](std::byte*) {});
  };
  const auto batch = Downloader(client_, {.allocator = of_arena}).Download(sources);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_EQ(asked, 1'500U);
  EXPECT_TRUE(arena == contents_[0] + contents_[2] + std::string(500, '-'));
}

TEST_F(DownloadsTest, FailsIfTheAllocatorHasNoMemory) {
  const auto sources = Store({1'000, 20});
  const Allocator none = [](std::size_t) { return nullptr; };
  const Allocator throws = [](std::size_t) -> std::shared_ptr<std::byte[]> { throw std::runtime_error("pinned out"); };
  for (const auto& [allocator, why] : {std::pair(none, "the allocator gave none"), {throws, "pinned out"}}) {
    const Downloader downloader(client_, {.delivers_failures = true, .allocator = allocator});
    EXPECT_TRUE(testing::FailsWith(downloader.Download(sources), ErrorCode::kInvalidArgument, HasSubstr(why)));

    DownloadStream stream = downloader.Stream(sources);
    for (const char* name : {"gs://bkt/object 0", "gs://bkt/object 1"}) {
      const auto object = stream.Next();
      ASSERT_TRUE(object.ok() && object->has_value());
      ASSERT_TRUE((*object)->error.has_value());
      EXPECT_THAT((*object)->error->message, HasSubstr(name));
      EXPECT_THAT((*object)->error->message, HasSubstr(why));
    }
  }
}

}  // namespace
}  // namespace gcsflux
