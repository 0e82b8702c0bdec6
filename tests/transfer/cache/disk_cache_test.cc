// The disk cache alone: what it keeps, what it removes, and what it does not trust.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <functional>

#include "transfer/cache/disk_cache_fixture.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

TEST_F(DiskCacheTest, GivesWhatAnEarlierProcessKept) {
  const std::string content = ContentOf(1, 5000);
  Cache(directory()).Keep("a", content);
  Cache later(directory());
  EXPECT_TRUE(later.Has("a", content));
  EXPECT_EQ(later.report().hits, 1U);
  EXPECT_EQ(later.report().hit_bytes, 5000U);
  EXPECT_EQ(later.report().misses, 0U);
  struct stat found {};
  ASSERT_EQ(::stat(directory().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
}

TEST_F(DiskCacheTest, KeepsObjectsOfAnySize) {
  Cache cache(directory());
  std::size_t number = 0;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{kCacheBlock} - 1, std::size_t{kCacheBlock},
        std::size_t{kCacheBlock} + 1, std::size_t{3} * kCacheBlock + 17}) {
    const std::string name = std::to_string(number);
    const std::string content = ContentOf(number++, bytes);
    cache.Keep(name, content);
    EXPECT_TRUE(cache.Has(name, content)) << bytes;
  }
}

TEST_F(DiskCacheTest, FindsNothingOfAnotherGenerationRangeNameOrService) {
  Cache cache(directory());
  const std::string content = ContentOf(1, 100);
  const DownloadSource source = SourceOf("a", content);
  cache.disk.Write(source, BytesOf(content));
  const auto is_there = [&](const std::function<void(DownloadSource&)>& change) {
    DownloadSource other = source;
    change(other);
    return cache.Read(other).has_value();
  };
  EXPECT_TRUE(is_there([](DownloadSource&) {}));
  EXPECT_FALSE(is_there([](DownloadSource& other) { other.generation = 8; }));
  EXPECT_FALSE(is_there([](DownloadSource& other) { other.offset = 0; }));
  EXPECT_FALSE(is_there([](DownloadSource& other) { other.size = 99; }));
  EXPECT_FALSE(is_there([](DownloadSource& other) { other.object.name = "b"; }));
  EXPECT_FALSE(is_there([](DownloadSource& other) { other.object.bucket = "other"; }));
  EXPECT_FALSE(Cache(directory(), kMuch, "another service").Has("a", content));
}

TEST_F(DiskCacheTest, GivesNoBytesWithAnotherChecksumThanTheListedOne) {
  Cache cache(directory());
  const std::string content = ContentOf(1, 100);
  cache.Keep("a", content);
  DownloadSource source = SourceOf("a", content);
  source.crc32c = *source.crc32c ^ 1;
  EXPECT_FALSE(cache.Read(source).has_value());
  EXPECT_EQ(cache.report().damaged, 1U);
}

TEST_F(DiskCacheTest, NoticesAndRemovesAWrongByteAnywhere) {
  const std::string content = ContentOf(1, 64);
  Cache cache(directory());
  cache.Keep("a", content);
  const std::uint64_t bytes = std::filesystem::file_size(Files().front());
  for (std::uint64_t at = 0; at < bytes; ++at) {
    Flip(Files().front(), at);
    EXPECT_FALSE(cache.Has("a", content)) << "byte " << at;
    EXPECT_TRUE(Files().empty());
    EXPECT_EQ(cache.report().damaged, at + 1);
    cache.Keep("a", content);
    EXPECT_TRUE(cache.Has("a", content));
  }
}

TEST_F(DiskCacheTest, NoticesAnEntryThatWasCutOff) {
  const std::string content = ContentOf(1, 64);
  Cache cache(directory());
  for (std::uint64_t left = 0;; ++left) {
    cache.Keep("a", content);
    if (left == std::filesystem::file_size(Files().front())) break;
    std::filesystem::resize_file(Files().front(), left);
    EXPECT_FALSE(cache.Has("a", content)) << left;
  }
}

TEST_F(DiskCacheTest, RemovesWhatWasNotUsedForTheLongestTime) {
  const auto content = [](std::size_t number) { return ContentOf(number, 10'000); };
  constexpr std::uint64_t kEntry = 12'288;
  Cache cache(directory(), 8 * kEntry);
  for (std::size_t i = 0; i < 8; ++i) cache.Keep(std::to_string(i), content(i));
  ASSERT_EQ(Files().size(), 8U);
  for (const auto& file : Files()) Age(file);
  for (const std::size_t used : {0U, 2U, 4U, 5U, 6U, 7U}) EXPECT_TRUE(cache.Has(std::to_string(used), content(used)));
  cache.Keep("8", content(8));
  EXPECT_LE(BytesOnDisk(), 8 * kEntry);
  EXPECT_TRUE(cache.Has("8", content(8)));
  EXPECT_FALSE(cache.Has("1", content(1)));
  EXPECT_FALSE(cache.Has("3", content(3)));
  for (const std::size_t used : {0U, 2U, 4U, 5U, 6U, 7U}) EXPECT_TRUE(cache.Has(std::to_string(used), content(used)));
  EXPECT_EQ(cache.report().evictions, 2U);
  EXPECT_EQ(cache.report().evicted_bytes, 2 * kEntry);
}

TEST_F(DiskCacheTest, StaysWithinItsBound) {
  constexpr std::uint64_t kBound = 200'000;
  Cache cache(directory(), kBound);
  for (std::size_t i = 0; i < 200; ++i) {
    cache.Keep(std::to_string(i), ContentOf(i, 100 * (i % 70)));
    ASSERT_LE(BytesOnDisk(), kBound);
  }
  EXPECT_GT(cache.report().evictions, 100U);
  EXPECT_EQ(cache.report().stored, 200U);
}

TEST_F(DiskCacheTest, DoesNotKeepWhatIsLargerThanItsBound) {
  Cache cache(directory(), 20'000);
  cache.Keep("small", ContentOf(1, 1000));
  cache.Keep("large", ContentOf(2, 20'000));
  EXPECT_TRUE(cache.Has("small", ContentOf(1, 1000)));
  EXPECT_FALSE(cache.Has("large", ContentOf(2, 20'000)));
  EXPECT_EQ(cache.report().evictions, 0U);
  EXPECT_EQ(cache.report().error, "");
}

TEST_F(DiskCacheTest, KeepsNothingThatIsNotCommitted) {
  const std::string content = ContentOf(1, 3 * kCacheBlock / 2);
  Cache cache(directory());
  {
    const auto begun = cache.disk.Begin(SourceOf("a", content));
    ASSERT_TRUE(begun);
    begun->Append(BytesOf(content));
  }
  EXPECT_FALSE(cache.Has("a", content));
  EXPECT_TRUE(Files().empty());
  {
    const auto begun = cache.disk.Begin(SourceOf("a", content));
    begun->Append(BytesOf(content).first(100));
    begun->Commit();
  }
  EXPECT_FALSE(cache.Has("a", content));
  EXPECT_TRUE(Files().empty());
}

TEST_F(DiskCacheTest, GivesAnEntryBlockByBlockUpToAWrongByte) {
  const std::string content = ContentOf(1, 2 * kCacheBlock + 100);
  const DownloadSource source = SourceOf("a", content);
  Cache cache(directory());
  const auto begun = cache.disk.Begin(source);
  for (std::size_t at = 0; at < content.size(); at += 333'333) begun->Append(BytesOf(content.substr(at, 333'333)));
  begun->Commit();
  const auto read = [&] {
    std::string got;
    const auto found = cache.disk.Find(source);
    if (!found) return std::string("none");
    while (const auto block = found->Next()) {
      if (block->empty()) return got;
      got.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    return got + " damaged";
  };
  EXPECT_EQ(read(), content);
  EXPECT_EQ(cache.report().hits, 1U);
  Flip(Files().front(), std::filesystem::file_size(Files().front()) - 100 - kCacheBlock);
  EXPECT_EQ(read(), content.substr(0, kCacheBlock) + " damaged");
  EXPECT_EQ(read(), "none");
}

// The limit on the size of files stands for a full disk.
TEST_F(DiskCacheTest, StopsKeepingWhenTheDiskIsFullAndStillReads) {
  Cache cache(directory());
  const std::string content = ContentOf(1, 2000);
  cache.Keep("before", content);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit small = old;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  cache.Keep("large", ContentOf(2, 100'000));
  cache.Keep("large, again", ContentOf(3, 100'000));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(cache.errors.size(), 1U);
  EXPECT_THAT(cache.report().error, HasSubstr("File too large"));
  EXPECT_TRUE(cache.Has("before", content));
  cache.Keep("after", content);
  EXPECT_FALSE(cache.Has("after", content));
  EXPECT_EQ(Files().size(), 1U);
  EXPECT_TRUE(Cache(directory()).Has("before", content));
}

TEST_F(DiskCacheTest, CountsAgainIfItsCountIsLost) {
  const auto keep_ten = [](Cache& cache) {
    for (std::size_t i = 0; i < 10; ++i) cache.Keep(std::to_string(i), ContentOf(i, 5000));
  };
  Cache first(directory(), 50'000);
  keep_ten(first);
  std::filesystem::resize_file(directory() + "/gcsflux-cache", 16);  // Only its format is left.
  Cache second(directory(), 50'000);
  second.Keep("more", ContentOf(11, 5000));
  EXPECT_TRUE(second.Has("more", ContentOf(11, 5000)));
  EXPECT_LE(BytesOnDisk(), 50'000U);
  EXPECT_EQ(second.report().error, "");
}

}  // namespace
}  // namespace gcsflux::internal
