// The contents of virtual objects: every range of them, and their checksums.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/bytes/body.h"
#include "store/bytes/crc32c.h"
#include "virtual/computed_content.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kBlock = 4096;

std::string Read(const ComputedContent& content, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  content.Read(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::uint32_t Crc32cOf(const std::string& bytes) { return ExtendCrc32c(0, std::as_bytes(std::span(bytes))); }

TEST(ComputedContent, HasTheChecksumOfItsBytes) {
  std::vector<std::uint64_t> sizes = {0, 1, 7, 8, 9, 4095, 4096, 4097, 8191, 8192, 8193, 100 << 10, 1 << 20, 3'333'333};
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) sizes.push_back(random() % 200'000);
  for (const std::uint64_t size : sizes) {
    const ComputedContent content(random(), size);
    ASSERT_EQ(content.crc32c(), Crc32cOf(Read(content, 0, size))) << size;
  }
}

// For any known length, a read returns some more bytes.
TEST(ComputedContent, HasTheChecksumOfItsBytesAtAnyLength) {
  std::mt19937_64 random(2);
  for (int bits = 13; bits < 43; ++bits) {
    const std::uint64_t size = random() % (std::uint64_t{1} << bits);
    const std::uint64_t more = 1 + random() % 20'000;
    const ComputedContent content(42, size);
    const ComputedContent longer(42, size + more);
    const std::string tail = Read(longer, size, more);
    ASSERT_EQ(longer.crc32c(), CombineCrc32c(content.crc32c(), Crc32cOf(tail), more)) << size << " + " << more;
  }
}

TEST(ComputedContent, IsTheSameInAnyRanges) {
  std::mt19937_64 random(3);
  constexpr std::uint64_t kSize = 100'003;
  const ComputedContent content(7, kSize);
  const std::string whole = Read(content, 0, kSize);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t offset = random() % (kSize + 1);
    const std::uint64_t size = random() % (kSize - offset + 1) % 20'000;
    ASSERT_TRUE(Read(content, offset, size) == whole.substr(offset, size)) << offset << " + " << size;
  }
}

TEST(ComputedContent, DiffersByPosition) {
  const ComputedContent content(7, 64 << 20);
  const std::string whole = Read(content, 0, content.size());
  std::set<std::string_view> blocks;
  for (std::uint64_t at = 0; at < whole.size(); at += kBlock) blocks.insert(std::string_view(whole).substr(at, kBlock));
  EXPECT_EQ(blocks.size(), whole.size() / kBlock);
  std::set<std::string_view> words;
  for (std::uint64_t at = 0; at < kBlock; at += 8) words.insert(std::string_view(whole).substr(at, 8));
  EXPECT_EQ(words.size(), kBlock / 8);
}

TEST(ComputedContent, DiffersByKeyFromEightBytesOn) {
  std::set<std::string> starts;
  for (std::uint64_t key = 1; key <= 10'000; ++key) starts.insert(Read(ComputedContent(key, 8), 0, 8));
  EXPECT_EQ(starts.size(), 10'000U);
}

TEST(ComputedContent, IsNotConstantForAKeyOfZero) {
  const ComputedContent content(0, 3 * kBlock);
  EXPECT_NE(Read(content, 0, kBlock), Read(content, kBlock, kBlock));
}

Rope ComputedRope(std::uint64_t key, std::uint64_t size) {
  return Rope(std::make_shared<const ComputedContent>(key, size));
}

TEST(Rope, SlicesAndAppendsComputedBytesLikeAString) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Rope rope;
  std::string text;
  for (int step = 0; step < 100; ++step) {
    Rope piece =
        random() % 3 == 0 ? Rope(std::string(random() % 100, 'k')) : ComputedRope(random(), random() % 200'000);
    const std::size_t offset = random() % (piece.size() + 1);
    const std::size_t length = random() % (piece.size() - offset + 1);
    text += piece.ToString().substr(offset, length);
    rope.Append(piece.Slice(offset, length));
  }
  ASSERT_EQ(rope.size(), text.size());
  EXPECT_TRUE(rope.ToString() == text);
  for (int round = 0; round < 200; ++round) {
    const std::size_t offset = random() % (text.size() + 1);
    const std::size_t length = random() % (text.size() - offset + 1) % 300'000;
    ASSERT_TRUE(rope.Slice(offset, length).ToString() == text.substr(offset, length)) << offset << " + " << length;
  }
}

TEST(Rope, ComputesInRunsOfLimitedSize) {
  std::size_t largest = 0;
  std::uint64_t all = 0;
  ComputedRope(1, 10 << 20).ForEachSpan(5, 9 << 20, [&](std::span<const std::byte> span) {
    largest = std::max(largest, span.size());
    all += span.size();
    return true;
  });
  EXPECT_LE(largest, 256U << 10);
  EXPECT_EQ(all, 9U << 20);
}

TEST(Body, JoinsAndReadsTerabytesWithoutMemory) {
  constexpr std::uint64_t kSize = std::uint64_t{1} << 40;
  std::vector<BodyPtr> sources;
  for (std::uint64_t key = 1; key <= 32; ++key) {
    sources.push_back(std::make_shared<const Body>(std::make_shared<const ComputedContent>(key, kSize)));
  }
  const BodyPtr joined = ConcatenateBodies(sources);
  ASSERT_EQ(joined->size(), 32 * kSize);
  const ComputedContent last(32, kSize);
  EXPECT_EQ(joined->bytes().Slice(32 * kSize - 100, 100).ToString(), Read(last, kSize - 100, 100));
  const std::string seam = joined->bytes().Slice(kSize - 50, 100).ToString();
  EXPECT_EQ(seam, Read(ComputedContent(1, kSize), kSize - 50, 50) + Read(ComputedContent(2, kSize), 0, 50));
}

TEST(Body, ChecksumCoversJoinedComputedBytes) {
  const std::vector<BodyPtr> sources = {
      std::make_shared<const Body>(std::make_shared<const ComputedContent>(1, 12'345)),
      std::make_shared<const Body>(Rope("stored")),
      std::make_shared<const Body>(std::make_shared<const ComputedContent>(2, 67'890))};
  const BodyPtr joined = ConcatenateBodies(sources);
  EXPECT_EQ(joined->crc32c(), Crc32cOf(joined->bytes().ToString()));
}

}  // namespace
}  // namespace gcsflux::emulator
