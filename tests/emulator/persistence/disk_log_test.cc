// The log below the store: group commits, names that changes hold, and the space of bodies.

#include "persistence/disk_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "persistence/pieces.h"
#include "store/log/name_locks.h"
#include "support/test_directory.h"

namespace gcsflux::emulator {
namespace {

namespace fs = std::filesystem;

class DiskLogTest : public ::testing::Test {
 protected:
  DiskLogTest() { files_.FreeUnused(true); }

  fs::path MakeBodies() {
    fs::create_directory(directory_.path() / "bodies");
    return directory_.path() / "bodies";
  }
  std::vector<std::string> Keys() {
    std::vector<std::string> keys;
    database_.ForEach(RecordKind::kObject, [&](const Database::Row& row) { keys.emplace_back(row.key); });
    return keys;
  }
  static RecordChange Put(const std::string& key, Rope bytes = {}) {
    return PutRecord(RecordKind::kObject, {.key = key, .fields = "fields", .bytes = std::move(bytes)});
  }
  [[nodiscard]] std::uint64_t Space() const {
    struct ::stat status = {};
    EXPECT_EQ(::stat((directory_.path() / "bodies" / "00000001").c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }

  const gcsflux::testing::TestDirectory directory_;
  BodyFiles files_{MakeBodies(), /*syncs=*/true};
  Database database_{directory_.path() / "metadata.sqlite", /*syncs=*/true};
  DiskLog log_{files_, database_};
};

TEST_F(DiskLogTest, WritesTheChangesOfManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      for (int k = 0; k < 25; ++k) EXPECT_TRUE(log_.Commit({Put(std::to_string(i) + "-" + std::to_string(k))}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Keys().size(), 200U);
}

TEST_F(DiskLogTest, ErasesByPrefix) {
  ASSERT_TRUE(log_.Commit({Put("a"), Put("ab"), Put("ac"), Put("b"), Put("\xFF"), Put("\xFF\xFF")}));
  ASSERT_TRUE(log_.Commit({ErasePrefix(RecordKind::kObject, "a")}));
  EXPECT_EQ(Keys(), (std::vector<std::string>{"b", "\xFF", "\xFF\xFF"}));
  ASSERT_TRUE(log_.Commit({ErasePrefix(RecordKind::kObject, "\xFF")}));
  EXPECT_EQ(Keys(), std::vector<std::string>{"b"});
  ASSERT_TRUE(log_.Commit({ErasePrefix(RecordKind::kObject, "")}));
  EXPECT_TRUE(Keys().empty());
}

TEST_F(DiskLogTest, KeepsBytesOnce) {
  const auto first = log_.Keep(Rope(std::string(100'000, 'a')));
  ASSERT_TRUE(first);
  Rope joined = *first;
  joined.Append(Rope(std::string(5, 'b')));
  joined.Append(first->Slice(10, 20));
  const auto kept = log_.Keep(joined);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->ToString(), joined.ToString());
  std::vector<FileRange> ranges;
  ReadPieces(WritePieces(*kept), ranges);
  const std::vector<FileRange> wanted = {{1, 0, 100'000}, {1, 100'000, 5}, {1, 10, 20}};
  EXPECT_EQ(ranges, wanted);
}

TEST_F(DiskLogTest, DividesLargeBodiesBetweenFiles) {
  const Rope piece(std::string(4 << 20, 'x'));
  Rope bytes;
  for (int i = 0; i < 40; ++i) bytes.Append(piece);
  bytes.Append(Rope("end"));
  const auto first = log_.Keep(bytes);
  const auto second = log_.Keep(bytes);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(fs::exists(directory_.path() / "bodies" / "00000002"));
  EXPECT_EQ(Body(*second).crc32c(), Body(bytes).crc32c());
}

TEST_F(DiskLogTest, GivesBackTheSpaceOfWhatIsNoLongerHeld) {
  Outcome<Rope> first = log_.Keep(Rope(std::string(1 << 20, 'x')));
  const Outcome<Rope> second = log_.Keep(Rope(std::string(1 << 20, 'x')));
  ASSERT_TRUE(first && second);
  const std::uint64_t before = Space();
  *first = Rope();
  EXPECT_LE(Space(), before - (1 << 20) + 8192);
  EXPECT_EQ(second->ToString(), std::string(1 << 20, 'x'));
}

TEST_F(DiskLogTest, FailureChangesNothing) {
  ASSERT_TRUE(log_.Commit({Put("before")}));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  (void)std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const Outcome<void> refused = log_.Commit({Put("during")});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FailureKind::kUnavailable);
  EXPECT_EQ(Keys(), std::vector<std::string>{"before"});
  EXPECT_TRUE(log_.Commit({Put("later")}));
}

TEST(NameLocks, HoldOneChangeOfANameAtATime) {
  NameLocks locks;
  std::atomic<int> inside = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 200; ++k) {
        const auto hold = i == 0 ? locks.LockAll() : locks.Lock({"a", "b" + std::to_string(i)});
        EXPECT_EQ(++inside, 1);
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(NameLocks, LetOtherNamesPass) {
  NameLocks locks;
  const auto first = locks.Lock({"a", "a"});
  const auto second = locks.Lock({"b"});
  SUCCEED();
}

}  // namespace
}  // namespace gcsflux::emulator
