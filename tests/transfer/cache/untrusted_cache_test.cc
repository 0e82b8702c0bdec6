// Directories that the disk cache does not use, and links that it does not follow.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "transfer/cache/disk_cache_fixture.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace gcsflux::internal
