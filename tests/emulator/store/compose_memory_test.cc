// The heap that composes need, by malloc's own count. Not for sanitizers, which have their own heap.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "emulator/support/heap_bytes.h"
#include "store/buckets/bucket.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class ComposeMemoryTest : public ::testing::Test {
 protected:
  void Insert(const std::string& name, std::size_t size) {
    const Rope bytes(std::string(size, 'x'));
    ASSERT_TRUE(bucket_.InsertObject({.name = name, .body = std::make_shared<const Body>(bytes)}, {}));
  }
  void Compose(const std::vector<std::string>& sources, const std::string& name) {
    ComposeRequest request{.destination = {.name = name}};
    for (const std::string& source : sources) request.sources.push_back({.name = source});
    ASSERT_TRUE(bucket_.ComposeObject(std::move(request)));
  }
  std::uint64_t SizeOf(const std::string& name) { return (*bucket_.GetObject({.name = name}))->body->size(); }

  Bucket bucket_{{.name = "bucket"}, [] { return Time(std::chrono::seconds(1'800'000'000)); }};
};

TEST_F(ComposeMemoryTest, RepeatedObjectNeedsItsOwnSizeOnly) {
  Insert("0", kMebibyte);
  const std::size_t before = HeapBytes();
  for (int level = 1; level <= 4; ++level) {
    Compose(std::vector<std::string>(32, std::to_string(level - 1)), std::to_string(level));
  }
  EXPECT_EQ(SizeOf("4"), std::uint64_t{kMebibyte} << 20);  // 1 TiB of a million pieces
  EXPECT_LT(HeapBytes() - before, kMebibyte / 4);
}

TEST_F(ComposeMemoryTest, LimitsAnObjectTo5Tebibytes) {
  Insert("0", kMebibyte);
  for (int level = 1; level <= 4; ++level) {
    Compose(std::vector<std::string>(32, std::to_string(level - 1)), std::to_string(level));
  }
  Compose(std::vector<std::string>(5, "4"), "largest");
  EXPECT_EQ(SizeOf("largest"), std::uint64_t{5} << 40);
  const auto larger =
      bucket_.ComposeObject({.sources = {{.name = "largest"}, {.name = "0"}}, .destination = {.name = "x"}});
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().kind, FailureKind::kTooLarge);
}

TEST_F(ComposeMemoryTest, LimitsTheComponentCount) {
  Insert("0", 0);
  for (int level = 1; level <= 9; ++level) {
    Compose(std::vector<std::string>(32, std::to_string(level - 1)), std::to_string(level));
    const std::int64_t want = level < 7 ? std::int64_t{1} << (5 * level) : INT32_MAX;
    EXPECT_EQ((*bucket_.GetObject({.name = std::to_string(level)}))->component_count, want) << level;
  }
}

TEST_F(ComposeMemoryTest, AppendedObjectNeedsItsOwnSizeOnly) {
  constexpr int kTimes = 20'000;
  Insert("part", 1);
  Insert("log", 1);
  const std::size_t before = HeapBytes();
  for (int i = 0; i < kTimes; ++i) Compose({"log", "part"}, "log");
  EXPECT_EQ(SizeOf("log"), kTimes + 1U);
  EXPECT_LT(HeapBytes() - before, std::size_t{250} * kTimes);
}

}  // namespace
}  // namespace gcsflux::emulator
