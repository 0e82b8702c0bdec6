// The disk cache alone: what it keeps, what it removes, and what it does not trust.
#include "transfer/cache/disk_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/crc32c.h"
#include "support/test_directory.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;
using testing::TestDirectory;

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

std::span<const std::byte> BytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

// Different for each number, and as long as is asked.
std::string ContentOf(std::size_t number, std::size_t bytes) {
  std::string text = "content " + std::to_string(number) + " ";
  while (text.size() < bytes) text += text;
  return text.substr(0, bytes);
}

DownloadSource SourceOf(const std::string& name, const std::string& content) {
  return {{"bkt", name}, content.size(), 7, ExtendCrc32c(0, BytesOf(content))};
}

// A cache of a directory, as one dataset has it.
struct Cache {
  explicit Cache(const std::string& directory, std::uint64_t max_bytes = kMuch, const std::string& endpoint = "e")
      : disk({.directory = directory, .max_bytes = max_bytes}, endpoint, tally,
             [this](const Error& error) { errors.push_back(error.message); }) {}

  [[nodiscard]] std::optional<std::string> Read(const DownloadSource& source) {
    std::string into(static_cast<std::size_t>(source.size), '?');
    const auto open = [&] { return Result<std::span<std::byte>>(std::as_writable_bytes(std::span(into))); };
    return disk.Read(source, open) ? std::optional(into) : std::nullopt;
  }
  void Keep(const std::string& name, const std::string& content) {
    disk.Write(SourceOf(name, content), BytesOf(content));
  }
  [[nodiscard]] bool Has(const std::string& name, const std::string& content) {
    const auto found = Read(SourceOf(name, content));
    if (found) {
      EXPECT_EQ(*found, content);
    }
    return found.has_value();
  }
  [[nodiscard]] CacheReport report() const { return tally->report(); }

  std::vector<std::string> errors = {};
  std::shared_ptr<CacheTally> tally = std::make_shared<CacheTally>();
  DiskCache disk;
};

class DiskCacheTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string directory() const { return temporary_.path() / "cache"; }
  [[nodiscard]] std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(directory())) {
      if (file.path().filename() != "gcsflux-cache") files.push_back(file.path());
    }
    return files;
  }
  // Of entries.
  [[nodiscard]] std::uint64_t BytesOnDisk() const {
    std::uint64_t bytes = 0;
    for (const auto& file : Files()) {
      if (!CacheEntry::IsFileName(file.filename())) continue;
      bytes += CacheDirectory::OnDisk(std::filesystem::file_size(file));
    }
    return bytes;
  }
  // As if it had last been used long ago.
  static void Age(const std::filesystem::path& file) {
    const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  static void Flip(const std::filesystem::path& file, std::uint64_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const char flipped = static_cast<char>(stream.get() ^ 1);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(flipped);
  }

  TestDirectory temporary_;
};

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

struct Untrusted {
  const char* name;
  std::function<void(const std::string& directory)> make;
  const char* message;
};

class UntrustedDirectoryTest : public DiskCacheTest, public ::testing::WithParamInterface<Untrusted> {};

TEST_P(UntrustedDirectoryTest, IsNotUsedAndReportedOnce) {
  GetParam().make(directory());
  Cache cache(directory());
  const std::string content = ContentOf(1, 100);
  cache.Keep("a", content);
  EXPECT_FALSE(cache.Has("a", content));
  ASSERT_EQ(cache.errors.size(), 1U);
  EXPECT_THAT(cache.errors.front(), HasSubstr(GetParam().message));
  EXPECT_EQ(cache.report().error, cache.errors.front());
}

void MakeWithMode(const std::string& directory, mode_t mode) {
  std::filesystem::create_directory(directory);
  ASSERT_EQ(::chmod(directory.c_str(), mode), 0);
}

const Untrusted kUntrusted[] = {
    {"AFile", [](const auto& directory) { std::ofstream(directory) << "text"; }, "is none, or a symbolic link"},
    {"ASymbolicLink",
     [](const auto& directory) {
       MakeWithMode(directory + ".real", 0700);
       std::filesystem::create_symlink(directory + ".real", directory);
     },
     "is none, or a symbolic link"},
    {"OneThatOthersCanRead", [](const auto& directory) { MakeWithMode(directory, 0750); }, "run `chmod 700` on it"},
    {"OneThatOthersCanWrite", [](const auto& directory) { MakeWithMode(directory, 0702); }, "run `chmod 700` on it"},
    {"OneWithOtherFiles",
     [](const auto& directory) {
       MakeWithMode(directory, 0700);
       std::ofstream(directory + "/letter.txt") << "text";
     },
     "has files that are no cache"},
    {"ACacheOfAnotherFormat",
     [](const auto& directory) {
       MakeWithMode(directory, 0700);
       std::ofstream(directory + "/gcsflux-cache") << "gcsflux-cache 2\n00000000000000000000\n";
     },
     "is a cache of another format"},
    {"OneWhoseCountIsADirectory",
     [](const auto& directory) {
       MakeWithMode(directory, 0700);
       std::filesystem::create_directory(directory + "/gcsflux-cache");
     },
     "gcsflux-cache"},
    {"OneInADirectoryThatDoesNotExist",
     [](const auto& directory) { std::filesystem::remove_all(std::filesystem::path(directory).parent_path()); },
     "No such file or directory"},
};
INSTANTIATE_TEST_SUITE_P(, UntrustedDirectoryTest, ::testing::ValuesIn(kUntrusted),
                         [](const auto& its) { return its.param.name; });

TEST_F(DiskCacheTest, DoesNotFollowALinkWithASlashBehindIt) {
  MakeWithMode(directory() + ".real", 0700);
  std::filesystem::create_symlink(directory() + ".real", directory());
  EXPECT_THAT(Cache(directory() + "//").report().error, HasSubstr("is none, or a symbolic link"));
  EXPECT_EQ(Cache(directory() + ".real/").report().error, "");
}

TEST_F(DiskCacheTest, DoesNotUseADirectoryOfAnotherUser) {
  MakeWithMode(directory(), 0700);
  if (::chown(directory().c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give a directory away";
  Cache cache(directory());
  EXPECT_THAT(cache.report().error, HasSubstr("belongs to another user"));
}

// Root may write everywhere, so another user tries it, in a process of its own.
TEST_F(DiskCacheTest, DoesNotUseADirectoryThatItMayNotWrite) {
  MakeWithMode(directory(), 0500);
  constexpr uid_t kNobody = 65534;
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::chown(directory().c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::chmod(temporary_.path().c_str(), 0711), 0);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (is_root && ::seteuid(kNobody) != 0) ::_exit(2);
    Cache cache(directory());
    cache.Keep("a", "content");
    ::_exit(cache.errors.size() == 1 && cache.errors.front().find("Permission denied") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, DoesNotFollowALinkInPlaceOfAnEntry) {
  const std::string content = ContentOf(1, 100);
  Cache cache(directory());
  cache.Keep("a", content);
  const auto entry = Files().front();
  std::filesystem::rename(entry, temporary_.path() / "elsewhere");
  std::filesystem::create_symlink(temporary_.path() / "elsewhere", entry);
  EXPECT_FALSE(cache.Has("a", content));
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
