#include "transfer/composition/take_group.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kMaxBytes = 100'000'000;

DownloadSource Source(std::uint64_t size, const std::string& bucket = "bkt", std::int64_t generation = 1) {
  return {.object = {bucket, "o"}, .size = size, .generation = generation};
}

std::vector<DownloadSource> Sources(const std::vector<std::uint64_t>& sizes) {
  std::vector<DownloadSource> sources;
  sources.reserve(sizes.size());
  for (const std::uint64_t size : sizes) sources.push_back(Source(size));
  return sources;
}

// The sizes of all groups, one after the other.
std::vector<std::size_t> TakeAll(std::span<const DownloadSource> sources, const GroupLimits& limits) {
  std::vector<std::size_t> groups;
  while (!sources.empty()) {
    groups.push_back(TakeGroup(sources, limits));
    sources = sources.subspan(groups.back());
  }
  return groups;
}

TEST(TakeGroup, IsEmptyWithoutSources) { EXPECT_EQ(TakeGroup({}, {.max_bytes = kMaxBytes}), 0U); }

TEST(TakeGroup, JoinsAtMost32Objects) {
  const auto sources = Sources(std::vector<std::uint64_t>(70, 1));
  EXPECT_EQ(TakeAll(sources, {.max_bytes = kMaxBytes}), (std::vector<std::size_t>{32, 32, 6}));
  EXPECT_EQ(TakeAll(sources, {.max_sources = 1000, .max_bytes = kMaxBytes}), (std::vector<std::size_t>{32, 32, 6}));
  EXPECT_EQ(TakeGroup(sources, {.max_sources = 5, .max_bytes = kMaxBytes}), 5U);
  EXPECT_EQ(TakeGroup(sources, {.max_sources = 1, .max_bytes = kMaxBytes}), 1U);
  EXPECT_EQ(TakeGroup(sources, {.max_sources = 0, .max_bytes = kMaxBytes}), 1U);
}

TEST(TakeGroup, StaysWithinTheBytesOfAComposite) {
  EXPECT_EQ(TakeAll(Sources({60, 40, 1, 60, 41, 59}), {.max_bytes = 100}), (std::vector<std::size_t>{2, 2, 2}));
}

TEST(TakeGroup, KeepsLargeObjectsSeparate) {
  EXPECT_EQ(TakeAll(Sources({101, 1, 101, 1, 2, 101}), {.max_bytes = 100}), (std::vector<std::size_t>{1, 1, 1, 2, 1}));
}

TEST(TakeGroup, NeverCrossesBuckets) {
  const std::vector<DownloadSource> sources = {Source(1, "a"), Source(1, "a"), Source(1, "b"), Source(1, "a")};
  EXPECT_EQ(TakeAll(sources, {.max_bytes = kMaxBytes}), (std::vector<std::size_t>{2, 1, 1}));
}

TEST(TakeGroup, ExcludesObjectsUnderAnotherKey) {
  std::vector<DownloadSource> sources = Sources({1, 1, 1, 1, 1, 1});
  sources[2].kms_key_name = InternedName("keys/a/cryptoKeyVersions/7");
  sources[3].kms_key_name = InternedName("keys/ab");
  EXPECT_EQ(TakeAll(sources, {.max_bytes = kMaxBytes}), (std::vector<std::size_t>{2, 1, 1, 2}));
  for (const char* chosen : {"keys/a", "keys/a/cryptoKeyVersions/8"}) {
    EXPECT_EQ(TakeAll(sources, {.max_bytes = kMaxBytes, .kms_key_name = chosen}), (std::vector<std::size_t>{3, 1, 2}));
  }
}

TEST(TakeGroup, ExcludesObjectsWithoutAGeneration) {
  const std::vector<DownloadSource> sources = {Source(1, "a", 0), Source(1), Source(1), Source(1, "bkt", 0), Source(1)};
  EXPECT_EQ(TakeAll(sources, {.max_bytes = kMaxBytes}), (std::vector<std::size_t>{1, 2, 1, 1}));
}

TEST(TakeGroup, DoesNotOverflow) {
  const auto sources = Sources({UINT64_MAX, UINT64_MAX, 1});
  EXPECT_EQ(TakeAll(sources, {.max_bytes = UINT64_MAX}), (std::vector<std::size_t>{1, 1, 1}));
}

// Every object exactly once and in order follows from groups that are consecutive, never empty, and end with the last.
TEST(TakeGroup, KeepsItsInvariantsForRandomSizes) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<DownloadSource> sources;
    const std::size_t count = random() % 400;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t largest = std::uint64_t{1} << (random() % 40);
      sources.push_back(Source(random() % largest, random() % 50 == 0 ? "other" : "bkt", random() % 40 == 0 ? 0 : 7));
    }
    const GroupLimits limits{.max_sources = 1 + random() % 40, .max_bytes = std::uint64_t{1} << (random() % 38)};
    std::size_t first = 0;
    for (const std::size_t group : TakeAll(sources, limits)) {
      ASSERT_GE(group, 1U);
      ASSERT_LE(first + group, sources.size());
      const auto members = std::span(sources).subspan(first, group);
      std::uint64_t bytes = 0;
      for (const DownloadSource& source : members) {
        bytes += source.size;
        if (group == 1) break;
        EXPECT_EQ(source.object.bucket, members[0].object.bucket);
        EXPECT_NE(source.generation, 0);
      }
      if (group > 1) {
        EXPECT_LE(bytes, limits.max_bytes);
        EXPECT_LE(group, std::min<std::size_t>(32, limits.max_sources));
      }
      first += group;
    }
    EXPECT_EQ(first, sources.size());
  }
}

}  // namespace
}  // namespace gcsflux::internal
