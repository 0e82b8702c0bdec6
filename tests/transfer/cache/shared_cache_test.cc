// A disk cache that processes and threads share, some of which are killed or stopped.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "transfer/cache/disk_cache_fixture.h"

namespace gcsflux::internal {
namespace {

// What a process does that shares a cache: each entry that it finds must be right.
int UseShared(const std::string& directory, std::uint64_t bound, unsigned seed, int rounds) {
  Cache cache(directory, bound);
  int wrong = 0;
  for (int round = 0; round < rounds || rounds < 0; ++round) {
    seed = seed * 1'103'515'245 + 12'345;
    const std::size_t number = seed / 65'536 % 60;
    const std::string content = ContentOf(number, 1000 * (number % 9) + number);
    const auto found = cache.Read(SourceOf(std::to_string(number), content));
    if (found && *found != content) ++wrong;
    if (!found) cache.Keep(std::to_string(number), content);
  }
  return wrong + static_cast<int>(cache.report().damaged) + (cache.report().error.empty() ? 0 : 1);
}

TEST_F(DiskCacheTest, IsSharedByProcesses) {
  constexpr std::uint64_t kBound = 150'000;
  std::vector<pid_t> children;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    children.push_back(::fork());
    if (children.back() == 0) ::_exit(UseShared(directory(), kBound, seed, 2000));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(BytesOnDisk(), kBound);
  EXPECT_GT(BytesOnDisk(), kBound / 2);
  for (const auto& file : Files()) EXPECT_TRUE(CacheEntry::IsFileName(file.filename())) << file;
}

TEST_F(DiskCacheTest, IsSharedByThreads) {
  Cache cache(directory(), 150'000);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < 500; ++i) {
          const std::size_t number = (i * 7 + thread * 13) % 60;
          const std::string content = ContentOf(number, 1000 * (number % 9) + number);
          const auto found = cache.Read(SourceOf(std::to_string(number), content));
          if (found && *found != content) ++wrong;
          if (!found) cache.Keep(std::to_string(number), content);
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(BytesOnDisk(), 150'000U);
  EXPECT_EQ(cache.report().damaged, 0U);
  EXPECT_EQ(cache.report().error, "");
}

TEST_F(DiskCacheTest, SurvivesProcessesThatAreKilled) {
  constexpr std::uint64_t kBound = 150'000;
  Cache cache(directory(), kBound);
  for (unsigned round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(UseShared(directory(), kBound, round + 1, -1));
    // Meanwhile this process uses it too, until the child has done something.
    ASSERT_EQ(UseShared(directory(), kBound, 100 + round, 300), 0);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_LE(BytesOnDisk(), kBound);
  }
  // What the killed ones left is removed when room is made.
  for (std::size_t i = 0; i < 100; ++i) cache.Keep("more " + std::to_string(i), ContentOf(i, 8000));
  EXPECT_GT(cache.report().evictions, 0U);
  for (const auto& file : Files()) EXPECT_TRUE(CacheEntry::IsFileName(file.filename())) << file;
}

TEST_F(DiskCacheTest, RemovesAnUnfinishedFileOfAKilledProcess) {
  const std::string content = ContentOf(1, 5000);
  int begun[2];
  ASSERT_EQ(::pipe(begun), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Cache cache(directory(), 20'000);
    const auto entry = cache.disk.Begin(SourceOf("a", content));
    entry->Append(BytesOf(content).first(100));
    static_cast<void>(!::write(begun[1], "!", 1));
    ::pause();
  }
  char told = 0;
  ASSERT_EQ(::read(begun[0], &told, 1), 1);
  const auto unfinished = Files();
  ASSERT_EQ(unfinished.size(), 1U);
  Cache cache(directory(), 20'000);
  for (std::size_t i = 0; i < 5; ++i) cache.Keep(std::to_string(i), ContentOf(i, 5000));
  EXPECT_TRUE(std::filesystem::exists(unfinished.front())) << "its process still writes it";
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (std::size_t i = 0; i < 5; ++i) cache.Keep("x" + std::to_string(i), ContentOf(i, 5000));
  EXPECT_FALSE(std::filesystem::exists(unfinished.front()));
  EXPECT_LE(BytesOnDisk(), 20'000U);
}

TEST_F(DiskCacheTest, ReadsAndGoesOnWhileAStoppedProcessKeepsTheLock) {
  const std::string content = ContentOf(1, 5000);
  Cache cache(directory());
  cache.Keep("before", content);
  int locked[2];
  ASSERT_EQ(::pipe(locked), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int count = ::open((directory() + "/gcsflux-cache").c_str(), O_RDWR);
    static_cast<void>(::flock(count, LOCK_EX));
    static_cast<void>(!::write(locked[1], "!", 1));
    ::pause();
  }
  char told = 0;
  ASSERT_EQ(::read(locked[0], &told, 1), 1);
  for (const char* name : {"a", "b", "c"}) cache.Keep(name, content);
  EXPECT_FALSE(cache.Has("a", content));
  EXPECT_TRUE(cache.Has("before", content));
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  cache.Keep("after", content);
  EXPECT_TRUE(cache.Has("after", content));
  EXPECT_EQ(cache.report().error, "");
  EXPECT_EQ(Files().size(), 2U);
}

}  // namespace
}  // namespace gcsflux::internal
