// Which rank of a host reads which bytes, as a function of the requests of all.
#include "sharding/shared_reads.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

using Byte = std::pair<std::size_t, std::uint64_t>;  // File and offset.

std::vector<std::vector<FileStretch>> RandomStretches(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<FileStretch>> of_ranks(1 + random() % 5);
  for (auto& of_rank : of_ranks) {
    for (std::uint64_t left = random() % 12; left > 0; --left) {
      const std::uint64_t begin = random() % 60;
      of_rank.push_back({random() % 3, begin, begin + random() % 20});
    }
  }
  return of_ranks;
}

TEST(SharedReads, ReadEachByteOnceForAllRanks) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const auto of_ranks = RandomStretches(seed);
    const SharedReads reads(of_ranks);
    std::map<Byte, std::pair<std::size_t, std::uint64_t>> read;  // The reading rank, and the position.
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      std::uint64_t place = 0;
      for (const FileStretch& one : reads.ReadBy(rank)) {
        for (std::uint64_t at = one.begin; at < one.end; ++at) {
          EXPECT_TRUE(read.emplace(Byte{one.file, at}, std::pair(rank, place++)).second) << "seed " << seed;
        }
      }
      EXPECT_EQ(place, reads.BytesOf(rank)) << "seed " << seed;
    }
    std::set<Byte> wanted;
    for (const auto& of_rank : of_ranks) {
      for (const FileStretch& one : of_rank) {
        std::uint64_t at = one.begin;
        for (const SharedReads::Chunk& piece : reads.ChunksOf(one)) {
          ASSERT_EQ(piece.stretch.begin, at) << "seed " << seed;
          ASSERT_TRUE(piece.reader) << "stretches this short are shared; seed " << seed;
          for (std::uint64_t place = piece.place; at < piece.stretch.end; ++at, ++place) {
            EXPECT_EQ(read.at({one.file, at}), std::pair(*piece.reader, place)) << "seed " << seed;
            wanted.insert({one.file, at});
          }
        }
        EXPECT_EQ(at, one.end) << "seed " << seed;
      }
    }
    EXPECT_EQ(wanted.size(), read.size()) << "seed " << seed;
  }
}

TEST(SharedReads, LeaveLongUnsharedRangesToTheirRank) {
  const SharedReads reads({{{0, 0, 8 * kMiB}}, {{0, 6 * kMiB, 9 * kMiB}}});
  const auto pieces = reads.ChunksOf({0, 0, 8 * kMiB});
  ASSERT_GE(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].stretch, (FileStretch{0, 0, 6 * kMiB}));
  EXPECT_FALSE(pieces[0].reader);
  EXPECT_EQ(pieces[1].reader, std::optional<std::size_t>(0));
  EXPECT_EQ(reads.BytesOf(0) + reads.BytesOf(1), 2 * kMiB);
  EXPECT_FALSE(reads.ChunksOf({0, 8 * kMiB, 9 * kMiB}).front().reader);
}

TEST(SharedReads, DivideBytesEvenly) {
  const std::vector<FileStretch> all = {{0, 0, 10 * kMiB}, {3, 5, 5 + 3 * kMiB}};
  const SharedReads reads({all, all, all, all});
  for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(reads.BytesOf(rank), 13 * kMiB / 4);
}

TEST(SharedReads, RoundTrip) {
  const std::vector<FileStretch> stretches = {{0, 1, 5}, {7, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 3}};
  const std::string text = FormatFileStretches(stretches);
  EXPECT_EQ(ParseFileStretches(text), stretches);
  EXPECT_EQ(ParseFileStretches(text.substr(0, text.size() - 1)), std::nullopt);
  EXPECT_EQ(ParseFileStretches(text + "x"), std::nullopt);
  EXPECT_EQ(ParseFileStretches(FormatFileStretches({{0, 5, 3}})), std::nullopt) << "its end overflows";
}

}  // namespace
}  // namespace gcsflux::internal
