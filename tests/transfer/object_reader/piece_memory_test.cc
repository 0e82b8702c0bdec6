#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/process_memory.h"
#include "transfer/object_reader/chunk_memory.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kPiece = 4U << 20;
constexpr std::uint64_t kLarge = 1U << 30;

TEST(PieceMemory, IsMappedOnlyForALargeObject) {
  EXPECT_FALSE(MakePieceMemory(kPiece, kPiece).get_deleter().is_mapped);
  EXPECT_TRUE(MakePieceMemory(kPiece, kLarge).get_deleter().is_mapped);
  EXPECT_TRUE(MakePieceMemory(1U << 20, kLarge).get_deleter().is_mapped);
  EXPECT_FALSE(MakePieceMemory(100, kLarge).get_deleter().is_mapped);
}

// malloc() keeps it: it has seen such a length before, and a block follows it.
TEST(PieceMemory, ReturnsToTheSystemForALargeObject) {
  std::memset(MakePieceMemory(2 * kPiece, 0).get(), 1, 1);
  const std::uint64_t before = testing::MemoryFigure(getpid(), "VmRSS");
  std::vector<PieceMemory> pieces;
  for (int i = 0; i < 16; ++i) {
    pieces.push_back(MakePieceMemory(kPiece, kLarge));
    std::memset(pieces.back().get(), 1, kPiece);
  }
  const PieceMemory behind = MakePieceMemory(100U << 10, kLarge);
  pieces.clear();
  const std::uint64_t after = testing::MemoryFigure(getpid(), "VmRSS");
  EXPECT_LT(after - std::min(before, after), kPiece);
}

}  // namespace
}  // namespace gcsflux::internal
